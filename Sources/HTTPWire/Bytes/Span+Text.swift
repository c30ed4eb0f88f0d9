extension Span where Element == UInt8 {
    /// Whether the bytes of `literal` stand at `offset`, case and all.
    @inline(__always)
    func holds(_ literal: String, at offset: Int) -> Bool {
        let expected = literal.utf8Span.span
        guard offset >= 0, expected.count <= count - offset else { return false }
        for index in expected.indices where self[offset + index] != expected[index] { return false }
        return true
    }

    /// Whether `range` holds `literal`, written in lower case, in any mixture of cases.
    @inline(__always)
    func equals(_ literal: String, ignoringCaseIn range: Range<Int>) -> Bool {
        let expected = literal.utf8Span.span
        guard range.count == expected.count, range.lowerBound >= 0, range.upperBound <= count else { return false }
        for index in expected.indices where self[range.lowerBound + index].lowercased != expected[index] {
            return false
        }
        return true
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
