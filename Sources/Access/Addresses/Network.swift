/// A network in CIDR form (RFC 4632, RFC 4291 section 2.3), such as `10.0.0.0/8`, `2001:db8::/32`, or one address
/// alone.
///
/// IPv4 and IPv6 are kept apart: `::/0` holds no IPv4 address, although IPv4 addresses are stored as IPv6 ones.
public struct Network: Hashable, Sendable {
    /// The lowest address of the network.
    public let address: IPAddress
    /// How many of the 128 bits all its addresses have in common: 96 more than written for IPv4.
    private let prefix: Int

    /// Nil if `text` is no network, or if bits behind the prefix are set: `10.0.0.1/8` is more likely a mistake than
    /// `10.0.0.0/8`.
    public init?(_ text: some StringProtocol) {
        guard let (network, given) = Self.read(text), given == network.address else { return nil }
        self = network
    }

    /// The network that an address is in, of as many bits as are written behind it. Nil if `text` is none.
    public init?(around text: some StringProtocol) {
        guard let network = Self.read(text)?.network else { return nil }
        self = network
    }

    private init(_ address: IPAddress, prefix: Int) {
        self.prefix = prefix
        self.address = Self.masked(address, to: prefix)
    }

    /// The network that `text` names, and the address that is written in it, which may be any of the network's.
    private static func read(_ text: some StringProtocol) -> (network: Network, given: IPAddress)? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        let isIPv4 = !first.utf8.contains(UInt8(ascii: ":"))
        let bits = isIPv4 ? 32 : 128
        var length = bits
        if parts.count == 2 {
            let digits = parts[1].utf8
            guard (1...3).contains(digits.count), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                digits.count == 1 || digits.first != UInt8(ascii: "0"), let number = Int(parts[1]), number <= bits
            else { return nil }
            length = number
        }
        return (Network(address, prefix: isIPv4 ? length + 96 : length), address)
    }

    /// Whether the address is in the network.
    public func contains(_ other: IPAddress) -> Bool {
        // A prefix shorter than that of mapped addresses is one of IPv6.
        guard !other.isIPv4 || (prefix >= 96 && address.isIPv4) else { return false }
        return Self.masked(other, to: prefix) == address
    }

    private static func masked(_ address: IPAddress, to prefix: Int) -> IPAddress {
        let high: UInt64 = prefix >= 64 ? .max : ~(UInt64.max >> UInt64(prefix))
        let low: UInt64 = prefix <= 64 ? 0 : ~(UInt64.max >> UInt64(prefix - 64))
        return IPAddress(high: address.high & high, low: address.low & low)
    }
}

extension [Network] {
    /// Whether one of the networks has the address.
    public func contains(_ address: IPAddress) -> Bool {
        contains { $0.contains(address) }
    }
}
