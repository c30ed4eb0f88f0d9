import Glibc

/// An IP address in numbers, of either version.
struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// Network byte order: 4 bytes for IPv4, 16 for IPv6.
    let bytes: [UInt8]

    /// Nil if `text` is no address in numbers. An IPv6 address stands without brackets.
    init?(_ text: some StringProtocol) {
        // C would read no further than a NUL.
        guard !text.utf8.contains(0) else { return nil }
        let text = String(text)
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            bytes = withUnsafeBytes(of: &six) { Array($0) }
        } else {
            return nil
        }
    }

    /// Whether it stands for all addresses: `0.0.0.0`, `::`.
    var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// As `inet_ntop` writes it: the shortest form of an IPv6 address (RFC 5952).
    var description: String {
        var text = [UInt8](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        // Sound: `text` has room for every address with its NUL.
        let isWritten = text.withUnsafeMutableBytes { text in
            inet_ntop(family, bytes, text.baseAddress?.assumingMemoryBound(to: CChar.self), socklen_t(text.count))
                != nil
        }
        return isWritten ? String(decoding: text.prefix { $0 != 0 }, as: UTF8.self) : ""
    }
}
