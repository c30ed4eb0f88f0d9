/// `host [":" port]`, as in a Host header or a target (RFC 9110 section 4.2, RFC 3986 section 3.2). User information is not
/// allowed, nor is an empty host (RFC 9110 section 4.2.1).
struct Authority {
    let hasPort: Bool

    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard let first = range.first else { return nil }
        let endOfHost: Int?
        if bytes[first] == UInt8(ascii: "[") {
            endOfHost = Authority.endOfLiteral(bytes, range)
        } else {
            endOfHost = Authority.endOfName(bytes, range)
        }
        guard let end = endOfHost else { return nil }
        if end == range.upperBound {
            hasPort = false
        } else {
            guard bytes[end] == .colon, Authority.isPort(bytes, end + 1..<range.upperBound) else { return nil }
            hasPort = end + 1 < range.upperBound
        }
    }

    /// The end of a name or an IPv4 address; `nil` if there is none, or an escape is malformed.
    private static func endOfName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        let set = ByteSet.registeredName
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != .colon {
            if set.contains(bytes[index]) {
                index += 1
            } else if bytes[index] == .percent, bytes.isEscape(at: index, before: range.upperBound) {
                index += 3
            } else {
                return nil
            }
        }
        return index > range.lowerBound ? index : nil
    }

    /// The end of `"[" IPv6address "]"`; zones and `IPvFuture` are refused.
    private static func endOfLiteral(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var close = range.lowerBound + 1
        while close < range.upperBound, bytes[close] != UInt8(ascii: "]") { close += 1 }
        guard close < range.upperBound, IPv6Address.isWellFormed(bytes, range.lowerBound + 1..<close) else {
            return nil
        }
        return close + 1
    }

    /// A port may be empty (RFC 3986 section 3.2.3); otherwise it is at most 65535.
    private static func isPort(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var port = 0
        for index in range {
            guard bytes[index].isDigit else { return false }
            port = port * 10 + Int(bytes[index] &- 0x30)
            guard port <= 65535 else { return false }
        }
        return true
    }
}
