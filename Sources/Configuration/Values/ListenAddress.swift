import Access
import FormSchema

/// Where to listen: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`. Port 0 lets the system choose.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// Name or number, without brackets.
    public let host: String
    /// 0: the system chooses.
    public let port: UInt16

    /// An address of parts.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Nil if `text` is not host, colon, port.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), case let digits = text[text.index(after: colon)...],
            let port = UInt16(digits: digits), digits == "0" || digits.first != "0"
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
        self.init(host: String(host), port: port)
    }

    /// Whether only this machine can connect (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
    public var isLoopback: Bool {
        guard let address else { return false }
        return address.isIPv4 ? address.low >> 24 & 0xFF == 127 : address.high == 0 && address.low == 1
    }

    /// The address that is bound, in numbers and without brackets. Of names only `localhost` is accepted: others could mean
    /// several addresses, or another one tomorrow.
    public var number: String? { address?.description }

    private var address: IPAddress? { IPAddress(host == "localhost" ? "127.0.0.1" : host) }

    /// Whether both are one address, however it is written, or one of them is all addresses of the other's version (RFC 4291 section
    /// 2.5.2): the system lets a port be taken once.
    func overlaps(_ other: ListenAddress) -> Bool {
        guard port == other.port, let address, let others = other.address else { return false }
        return address == others
            || address.isIPv4 == others.isIPv4 && (address.isUnspecified || others.isUnspecified)
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension DocumentReader {
    /// The value as an address to listen on.
    func listenAddress() -> ListenAddress? {
        guard let text = text() else { return nil }
        guard let address = ListenAddress(text) else {
            mistake("not an address and port (such as 127.0.0.1:8080 or [::1]:8080)")
            return nil
        }
        guard address.number != nil else {
            mistake("\(quoted(address.host)) cannot be listened on: give an address in numbers, or localhost")
            return nil
        }
        return address
    }
}

extension UInt16 {
    /// Nil if `text` is not digits alone; `UInt16(_:)` takes a sign too.
    init?(digits text: Substring) {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(text)
    }
}
