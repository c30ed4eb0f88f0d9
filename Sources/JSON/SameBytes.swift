extension String {
    /// Whether both strings are the same UTF-8 bytes; `==` also equates canonically equivalent strings.
    @inline(__always)
    public func hasSameBytes(as other: String) -> Bool {
        // The counts are compared first, which needs no access to the bytes.
        utf8.count == other.utf8.count && utf8Span.span.isSame(as: other.utf8Span.span)
    }
}

extension String {
    /// The whole number that the text writes in ASCII digits, with a sign or without; nil if it is none or does not fit.
    package var wholeNumber: Int? {
        let bytes = utf8Span.span
        let isNegative = bytes.count > 0 && bytes[0] == UInt8(ascii: "-")
        let start = isNegative || bytes.count > 0 && bytes[0] == UInt8(ascii: "+") ? 1 : 0
        guard start < bytes.count else { return nil }
        var value = 0
        for index in start..<bytes.count {
            guard bytes[index].isDigit else { return nil }
            // Downwards, because the least number has no positive counterpart.
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (difference, underflows) = product.subtractingReportingOverflow(Int(bytes[index] &- 0x30))
            if overflows || underflows { return nil }
            value = difference
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }
}

extension Span where Element == UInt8 {
    /// Whether both hold the same bytes.
    @inline(__always)
    func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}
