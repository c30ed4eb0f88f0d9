extension Span where Element == UInt8 {
    /// Whether `range` is a token (RFC 9110 section 5.6.2).
    func isToken(_ range: Range<Int>) -> Bool {
        let token = ByteSet.token
        // The pointer does not leave the closure; checking the range once, and not every byte, halves the cost.
        return extracting(range).withUnsafeBufferPointer { bytes in
            for byte in bytes where !token.contains(byte) { return false }
            return !bytes.isEmpty
        }
    }

    /// The first position in `range` of a byte that a header value may not contain (RFC 9110 section 5.5), or the end of the range.
    @inline(__always)
    func endOfFieldText(_ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index + 8 <= range.upperBound, !hasControlCharacter(inEightBytesAt: index) { index += 8 }
        while index < range.upperBound, self[index].isFieldText { index += 1 }
        return index
    }

    /// Whether one of eight bytes is below 0x20 or is 0x7F, by the arithmetic of Warren, Hacker's Delight section 6-1.
    @inline(__always)
    private func hasControlCharacter(inEightBytesAt index: Int) -> Bool {
        // Unsafe by name only: the offset is checked against the count, and all bit patterns of an integer are valid.
        let word = bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let low = (word &- ones &* 0x20) & ~word
        let deleted = word ^ (ones &* 0x7F)
        return (low | ((deleted &- ones) & ~deleted)) & (ones &* 0x80) != 0
    }
}
