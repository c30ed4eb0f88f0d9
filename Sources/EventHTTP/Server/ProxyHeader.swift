import EventIO

/// A header of the PROXY protocol, with which a load balancer states the address of the client that it forwards: version 1 is a
/// line of text, version 2 is binary (haproxy, `doc/proxy-protocol.txt`, sections 2.1 and 2.2). A value without I/O.
struct ProxyHeader {
    /// The bytes are not a valid header. The connection is closed: a client must not be able to choose its address.
    struct Malformed: Error {}

    /// The client's address; `nil` if the balancer connects for itself (a health check) or does not know the address.
    let source: SocketAddress?
    /// Whether the balancer forwards a client whose address it does not state: then nothing is known of where it is.
    var hidesClient = false
    /// The size of the header in the buffer.
    let byteCount: Int

    /// The most that is accepted of a header: extensions of version 2 may be longer, and no balancer needs them.
    static let maximumBytes = 4_096
    /// The maximum size of a header of version 1, with its CRLF (section 2.1).
    private static let maximumLine = 107
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// Reads the header at the start of a connection; `nil` if more bytes are needed.
    static func parse(_ bytes: Span<UInt8>) throws(Malformed) -> ProxyHeader? {
        guard let first = bytes.first else { return nil }
        return first == UInt8(ascii: "P") ? try parseLine(bytes) : try parseBinary(bytes)
    }

    // MARK: Version 1

    private static func parseLine(_ bytes: Span<UInt8>) throws(Malformed) -> ProxyHeader? {
        let end = min(bytes.count, maximumLine)
        var index = 0
        while index < end, bytes[index] != 0x0A {
            guard bytes[index] == 0x0D || (0x20...0x7E).contains(bytes[index]) else { throw Malformed() }
            index += 1
        }
        guard index < end else {
            guard startsAsLine(bytes), bytes.count < maximumLine else { throw Malformed() }
            return nil
        }
        guard index > 0, bytes[index - 1] == 0x0D else { throw Malformed() }
        var line: [UInt8] = []
        for position in 0..<index - 1 { line.append(bytes[position]) }
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count >= 2, parts[0] == "PROXY" else { throw Malformed() }
        // What follows UNKNOWN is to be ignored.
        if parts[1] == "UNKNOWN" { return ProxyHeader(source: nil, hidesClient: true, byteCount: index + 1) }
        guard parts.count == 6, parts[1] == "TCP4" || parts[1] == "TCP6", let sourcePort = port(parts[4]),
            port(parts[5]) != nil, let source = SocketAddress(parts[2], port: sourcePort),
            let destination = SocketAddress(parts[3], port: 0),
            source.isIPv4 == (parts[1] == "TCP4"), destination.isIPv4 == source.isIPv4
        else { throw Malformed() }
        return ProxyHeader(source: source, byteCount: index + 1)
    }

    /// Whether the bytes can still become a header of version 1.
    private static func startsAsLine(_ bytes: Span<UInt8>) -> Bool {
        let start = Array("PROXY ".utf8)
        for index in 0..<min(bytes.count, start.count) where bytes[index] != start[index] { return false }
        return true
    }

    /// A port in decimal, without leading zeros.
    private static func port(_ text: String) -> UInt16? {
        guard !text.isEmpty, text.utf8.count <= 5, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            text == "0" || text.utf8.first != 0x30
        else { return nil }
        return UInt16(text)
    }

    // MARK: Version 2

    private static func parseBinary(_ bytes: Span<UInt8>) throws(Malformed) -> ProxyHeader? {
        for index in 0..<min(bytes.count, signature.count) where bytes[index] != signature[index] { throw Malformed() }
        guard bytes.count >= 16 else { return nil }
        let (command, family) = (bytes[12], bytes[13])
        let length = Int(bytes[14]) << 8 | Int(bytes[15])
        // 0x20 is LOCAL, 0x21 is PROXY.
        guard command == 0x20 || command == 0x21, family >> 4 <= 3, family & 0xF <= 2,
            16 + length <= maximumBytes
        else { throw Malformed() }
        let size: Int? =
            switch family {
            case 0x11: 4
            case 0x21: 16
            default: nil
            }
        if command == 0x21, let size, length < 2 * size + 4 { throw Malformed() }
        guard bytes.count >= 16 + length else { return nil }
        guard command == 0x21, let size else {
            return ProxyHeader(source: nil, hidesClient: command == 0x21, byteCount: 16 + length)
        }
        let ports = 16 + 2 * size
        let port = UInt16(bytes[ports]) << 8 | UInt16(bytes[ports + 1])
        guard let source = SocketAddress(bytes: bytes.extracting(16..<16 + size), port: port) else { throw Malformed() }
        return ProxyHeader(source: source, byteCount: 16 + length)
    }
}

extension Span where Element == UInt8 {
    fileprivate var first: UInt8? { isEmpty ? nil : self[0] }
}
