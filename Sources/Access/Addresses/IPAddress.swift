/// An IPv4 or IPv6 address in 128 bits.
///
/// An IPv4 address is stored as its IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2), so that `192.0.2.1` and
/// `::ffff:192.0.2.1`, which a dual-stack socket reports for the same client, are equal.
public struct IPAddress: Hashable, Sendable {
    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The last eight bytes, most significant first.
    public let low: UInt64

    /// The upper 32 of the lower 64 bits of every IPv4-mapped address.
    private static let mappedPrefix: UInt64 = 0xFFFF

    /// The address of these 128 bits, in network order.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// An IPv4 address in host byte order.
    public init(v4 address: UInt32) {
        self.init(high: 0, low: Self.mappedPrefix << 32 | UInt64(address))
    }

    /// Whether this is an IPv4 address, written either way.
    public var isIPv4: Bool { high == 0 && low >> 32 == Self.mappedPrefix }

    /// Whether it stands for all addresses of its version: `0.0.0.0`, `::`.
    public var isUnspecified: Bool { high == 0 && (isIPv4 ? low & 0xFFFF_FFFF : low) == 0 }

    /// What limits count by: an IPv4 address itself; of an IPv6 address the first 64 bits, because a subscriber
    /// usually gets a whole /64 (RFC 6177) and would otherwise have 2^64 addresses to spread requests over.
    public var subscriber: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }
}

extension IPAddress {
    /// The address that `text` spells: dotted decimal without leading zeros, or RFC 4291 section 2.2. Nil for
    /// everything else, a port and brackets included.
    ///
    /// - Parameter allowsZone: drops a zone (`%eth0`, RFC 4007 section 11), which the operating system adds to
    ///   link-local addresses of sockets. Text from a client has no business with one.
    public init?(_ text: some StringProtocol, allowsZone: Bool = false) {
        // The longest form is that of an IPv4-mapped address, 45 characters, and an interface name has at most 15.
        guard text.utf8.count <= 64 else { return nil }
        var bytes = Array(text.utf8)
        if allowsZone, let zone = bytes.firstIndex(of: UInt8(ascii: "%")) { bytes.removeSubrange(zone...) }
        self.init(bytes: bytes[...])
    }

    /// The address that ASCII bytes without a zone spell.
    init?(bytes: ArraySlice<UInt8>) {
        if !bytes.contains(UInt8(ascii: ":")) {
            guard let address = Self.v4(bytes) else { return nil }
            self.init(v4: address)
            return
        }
        guard let groups = Self.groups(bytes) else { return nil }
        self.init(
            high: groups[0..<4].reduce(0) { $0 << 16 | UInt64($1) },
            low: groups[4..<8].reduce(0) { $0 << 16 | UInt64($1) })
    }

    private static func v4(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var number: UInt32 = 0
            for digit in part {
                guard digit >= 0x30, digit <= 0x39 else { return nil }
                number = number * 10 + UInt32(digit - 0x30)
            }
            guard number <= 255 else { return nil }
            address = address << 8 | number
        }
        return address
    }

    /// The eight groups of an IPv6 address.
    private static func groups(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        var gap: ArraySlice<UInt8>.Index?
        for index in bytes.indices.dropLast() where bytes[index] == colon && bytes[index + 1] == colon {
            if gap != nil { return nil }
            gap = index
        }
        guard let gap else {
            guard let groups = list(bytes, mayEndInV4: true), groups.count == 8 else { return nil }
            return groups
        }
        guard let before = list(bytes[..<gap], mayEndInV4: false),
            let after = list(bytes[(gap + 2)...], mayEndInV4: true), before.count + after.count <= 7
        else { return nil }
        return before + [UInt16](repeating: 0, count: 8 - before.count - after.count) + after
    }

    /// Groups between single colons; none for no bytes at all.
    private static func list(_ bytes: ArraySlice<UInt8>, mayEndInV4: Bool) -> [UInt16]? {
        guard !bytes.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInV4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let address = v4(part) else { return nil }
                groups += [UInt16(truncatingIfNeeded: address >> 16), UInt16(truncatingIfNeeded: address)]
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var group: UInt16 = 0
            for digit in part {
                switch digit {
                case 0x30...0x39: group = group << 4 | UInt16(digit - 0x30)
                case 0x41...0x46: group = group << 4 | UInt16(digit - 0x37)
                case 0x61...0x66: group = group << 4 | UInt16(digit - 0x57)
                default: return nil
                }
            }
            groups.append(group)
        }
        return groups.count <= 8 ? groups : nil
    }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal for IPv4, the canonical form of RFC 5952 section 4 for IPv6.
    public var description: String {
        isIPv4 ? dotted : hexadecimal
    }

    /// The form for IPv6, also of an IPv4 address: as browsers write one in brackets (WHATWG URL, "IPv6 serializer").
    var hexadecimal: String {
        let groups = (0..<8).map { index in
            UInt16(truncatingIfNeeded: (index < 4 ? high : low) >> UInt64(48 - 16 * (index % 4)))
        }
        // The longest run of zero groups, the first of equals; a single group is not shortened.
        var (start, length, best) = (0, 0, (start: 8, length: 1))
        for index in groups.indices {
            if groups[index] != 0 {
                length = 0
                continue
            }
            if length == 0 { start = index }
            length += 1
            if length > best.length { best = (start, length) }
        }
        let hex = groups.map { String($0, radix: 16) }
        guard best.length > 1 else { return hex.joined(separator: ":") }
        return hex[..<best.start].joined(separator: ":") + "::"
            + hex[(best.start + best.length)...].joined(separator: ":")
    }

    /// Written for each request that is recorded: without a text for each of the four numbers.
    private var dotted: String {
        // Sound: four numbers of at most three digits and three dots are 15 characters.
        String(unsafeUninitializedCapacity: 15) { text in
            var count = 0
            for shift in stride(from: UInt64(24), through: 0, by: -8) {
                let number = UInt8(truncatingIfNeeded: low >> shift)
                if shift < 24 {
                    text.initializeElement(at: count, to: UInt8(ascii: "."))
                    count += 1
                }
                for power: UInt8 in [100, 10, 1] where power == 1 || number >= power {
                    text.initializeElement(at: count, to: UInt8(ascii: "0") + number / power % 10)
                    count += 1
                }
            }
            return count
        }
    }
}
