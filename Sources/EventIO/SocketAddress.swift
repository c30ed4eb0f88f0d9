import Glibc

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: Sendable {
    /// The larger of the two address structures; an IPv4 address uses its first 16 bytes.
    private var storage = sockaddr_in6()

    /// An address from its text, without brackets; `nil` if the text is not an address (the `Resolver` handles names).
    public init?(_ literal: String, port: UInt16) {
        var four = in_addr()
        var six = in6_addr()
        // C functions stop at a NUL.
        if literal.utf8.contains(0) { return nil }
        if inet_pton(AF_INET, literal, &four) == 1 {
            withAddress(as: sockaddr_in.self) {
                $0.pointee.sin_family = sa_family_t(AF_INET)
                $0.pointee.sin_addr = four
            }
        } else if inet_pton(AF_INET6, literal, &six) == 1 {
            storage.sin6_family = sa_family_t(AF_INET6)
            storage.sin6_addr = six
        } else {
            return nil
        }
        storage.sin6_port = port.bigEndian
    }

    /// An address from its 4 or 16 bytes in network order; `nil` for another number of bytes.
    public init?(bytes: Span<UInt8>, port: UInt16) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let isIPv4 = bytes.count == 4
        let offset =
            isIPv4
            ? MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) : MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)
        guard let offset else { return nil }
        storage.sin6_family = sa_family_t(isIPv4 ? AF_INET : AF_INET6)
        storage.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &storage) { storage in
            // Within the structure: 4 bytes at 4, or 16 bytes at 8, of 28.
            for index in bytes.indices { storage[offset + index] = bytes[index] }
        }
    }

    init?(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        let size = Int(length)
        guard size >= MemoryLayout<sockaddr_in>.size, size <= MemoryLayout<sockaddr_in6>.size else { return nil }
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
        }
        guard family == AF_INET || family == AF_INET6 else { return nil }
    }

    /// The address that `fill` writes (as `accept` and `getsockname` do); `nil` if it fails.
    init?(filledBy fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt) {
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let outcome = withAddress(as: sockaddr.self) { fill($0, &length) }
        guard outcome >= 0, family == AF_INET || family == AF_INET6 else { return nil }
    }

    /// Whether it is an address of IPv4.
    public var isIPv4: Bool { family == AF_INET }

    /// The address without its port, in network byte order. An IPv4 address is mapped into IPv6 (RFC 4291 section 2.5.5.2).
    public var bits: (high: UInt64, low: UInt64) {
        withUnsafeBytes(of: storage) { storage in
            // Within the structure: 4 bytes at 4, or 16 bytes at 8, of 28.
            func number(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(storage[$1]) } }
            if isIPv4 { return (0, 0xFFFF << 32 | number(4..<8)) }
            return (number(8..<16), number(16..<24))
        }
    }

    /// `AF_INET` or `AF_INET6`.
    var family: CInt { CInt(storage.sin6_family) }

    /// The port. Both structures have it at the same offset.
    public var port: UInt16 {
        get { UInt16(bigEndian: storage.sin6_port) }
        set { storage.sin6_port = newValue.bigEndian }
    }

    /// The address alone, as text: `127.0.0.1`, `::1`.
    public var host: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            withUnsafeBytes(of: storage) { bytes in
                let offset =
                    family == AF_INET
                    ? MemoryLayout<sockaddr_in>.offset(of: \.sin_addr)
                    : MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)
                guard let start = text.baseAddress, let base = bytes.baseAddress, let offset,
                    inet_ntop(family, base + offset, start, socklen_t(text.count)) != nil
                else { return "" }
                return String(cString: start)
            }
        }
    }

    /// Calls `body` with the pointer and length that system calls expect.
    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        return withUnsafePointer(to: storage) { pointer in
            // Sound: every socket address structure starts with the fields of `sockaddr`, and the kernel reads `size` bytes.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }

    private mutating func withAddress<T, R>(as type: T.Type, _ body: (UnsafeMutablePointer<T>) -> R) -> R {
        withUnsafeMutablePointer(to: &storage) { pointer in
            // Sound: `sockaddr` and `sockaddr_in` are smaller than `sockaddr_in6` and share its start.
            pointer.withMemoryRebound(to: type, capacity: 1, body)
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    public var description: String { family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
