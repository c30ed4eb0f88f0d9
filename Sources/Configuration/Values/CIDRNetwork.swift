/// A network in CIDR form (RFC 4632, RFC 4291 section 2.3): `10.0.0.0/8`, `2001:db8::/32`, or one address alone.
public struct CIDRNetwork: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// Nil if `text` is no network, or if bits behind the prefix are set: `10.0.0.1/8` is more likely a mistake than
    /// `10.0.0.0/8`.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        var prefix = 8 * address.bytes.count
        if parts.count == 2 {
            let digits = parts[1]
            guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                digits.utf8.count == 1 || digits.first != "0", let number = Int(digits), number <= prefix
            else { return nil }
            prefix = number
        }
        let isClear = address.bytes.enumerated().allSatisfy { index, byte in
            let kept = min(max(prefix - 8 * index, 0), 8)
            return byte & (kept == 8 ? 0 : UInt8.max >> UInt8(kept)) == 0
        }
        guard isClear else { return nil }
        description = text
    }
}
