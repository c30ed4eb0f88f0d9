extension Span where Element == UInt8 {
    /// Whether the bytes of `literal` stand at `offset`, case and all.
    @inline(__always)
    func holds(_ literal: StaticString, at offset: Int) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard offset >= 0, length <= count - offset else { return false }
        // A literal is never freed, and no byte behind its end is read.
        return literal.withUTF8Buffer { expected in
            for index in 0..<length where self[offset + index] != expected[index] { return false }
            return true
        }
    }

    /// Whether `range` holds `literal`, written in lower case, in any mixture of cases.
    @inline(__always)
    func equals(_ literal: StaticString, ignoringCaseIn range: Range<Int>) -> Bool {
        let length = literal.utf8CodeUnitCount
        let start = range.lowerBound
        guard range.count == length, start >= 0, range.upperBound <= count else { return false }
        // A literal is never freed, and no byte behind its end is read.
        return literal.withUTF8Buffer { expected in
            for index in 0..<length where self[start + index].lowercased != expected[index] { return false }
            return true
        }
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

    /// The bytes of `range` as text; what is not UTF-8 is replaced.
    func text(_ range: Range<Int>) -> String {
        // The pointer does not outlive the closure and the string copies what it reads.
        extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// A copy of the bytes.
    func copied() -> [UInt8] {
        // One `memcpy`: the standard library offers none from a span.
        withUnsafeBufferPointer { [UInt8]($0) }
    }

    /// Appends the bytes to `array`.
    func append(to array: inout [UInt8]) {
        // One `memcpy`: the standard library offers none from a span.
        withUnsafeBufferPointer { array.append(contentsOf: $0) }
    }
}
