extension String {
    /// Whether both strings are the same UTF-8 bytes; `==` also equates canonically equivalent strings.
    @inline(__always)
    public func hasSameBytes(as other: String) -> Bool {
        // The counts are compared first, which needs no access to the bytes.
        utf8.count == other.utf8.count && utf8Span.span.isSame(as: other.utf8Span.span)
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
