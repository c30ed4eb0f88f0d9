extension Span where Element == UInt8 {
    /// Whether the bytes of `literal` are at `offset`; case-sensitive.
    @inline(__always)
    func holds(_ literal: StaticString, at offset: Int) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard offset >= 0, length <= count - offset else { return false }
        // A literal is never freed, and no byte after its end is read.
        return literal.withUTF8Buffer { expected in
            for index in 0..<length where self[offset + index] != expected[index] { return false }
            return true
        }
    }

    /// Whether `range` contains `literal`, which is in lower case, in any mixture of cases.
    @inline(__always)
    func equals(_ literal: StaticString, ignoringCaseIn range: Range<Int>) -> Bool {
        let length = literal.utf8CodeUnitCount
        let start = range.lowerBound
        guard range.count == length, start >= 0, range.upperBound <= count else { return false }
        // A literal is never freed, and no byte after its end is read.
        return literal.withUTF8Buffer { expected in
            for index in 0..<length where self[start + index].lowercased != expected[index] { return false }
            return true
        }
    }

    /// Whether the token at `offset` starts with `literal`, which is in lower case and has a length of 4, 6 or at least 8, in any
    /// mixture of cases. Compares words: setting bit 5 maps only letters of the other case and control characters, which a
    /// token does not contain, to the bytes of a name.
    @inline(__always)
    func holdsName(_ literal: StaticString, at offset: Int) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard offset >= 0, length <= count - offset else { return false }
        // Sound: a literal is never freed, `last` is at least 0, and no load reaches beyond either end.
        let expected = UnsafeRawPointer(literal.utf8Start)
        if length < 8 {
            let last = length - 4
            let first = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self) | 0x2020_2020
            let second = bytes.unsafeLoadUnaligned(fromByteOffset: offset + last, as: UInt32.self) | 0x2020_2020
            return first == expected.loadUnaligned(as: UInt32.self)
                && second == expected.loadUnaligned(fromByteOffset: last, as: UInt32.self)
        }
        let ones: UInt64 = 0x2020_2020_2020_2020
        var at = 0
        while at + 8 < length {
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: offset + at, as: UInt64.self) | ones
            guard word == expected.loadUnaligned(fromByteOffset: at, as: UInt64.self) else { return false }
            at += 8
        }
        let word = bytes.unsafeLoadUnaligned(fromByteOffset: offset + length - 8, as: UInt64.self) | ones
        return word == expected.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
    }

    /// `range` without the blanks at either end.
    @inline(__always)
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// The bytes of `range` as text; invalid UTF-8 is replaced by U+FFFD.
    package func text(_ range: Range<Int>) -> String {
        // The pointer does not outlive the closure and the string copies what it reads.
        extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// A copy of the bytes.
    func copied() -> [UInt8] {
        // One `memcpy`: the standard library has none for a span.
        withUnsafeBufferPointer { [UInt8]($0) }
    }

    /// Appends the bytes to `array`.
    package func append(to array: inout [UInt8]) {
        // One `memcpy`: the standard library has none for a span.
        withUnsafeBufferPointer { array.append(contentsOf: $0) }
    }
}
