import Foundation
import JSON
import ProcessTesting
import Testing

/// Whose request it is, where a load balancer stands before the gateway (docs/reference/access.md section 4).
@Suite(.waits) struct CallerAddressTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    /// A header of the PROXY protocol, version 2 (haproxy, doc/proxy-protocol.txt section 2.2).
    private static func header(_ command: UInt8, _ family: UInt8, _ addresses: [UInt8], more: [UInt8] = []) -> [UInt8] {
        let length = addresses.count + more.count
        return signature + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + addresses + more
    }

    /// From 198.51.100.7, to 192.0.2.1, with ports 40,000 and 443.
    private static let v4: [UInt8] = [198, 51, 100, 7, 192, 0, 2, 1, 0x9C, 0x40, 1, 0xBB]
    /// From 2001:db8::7.
    private static let v6: [UInt8] =
        [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 0, count: 15) + [1]
        + [0x9C, 0x40, 1, 0xBB]
    /// An extension: PP2_TYPE_NOOP with three bytes.
    private static let noop: [UInt8] = [4, 0, 3, 0, 0, 0]

    private func gateway() throws -> GatewayProcess {
        let inside = """
              - {name: inside, username: inside, secret: inside-secret, scopes: ["aliases:create"], addresses: [198.51.100.0/24, "2001:db8::/32"]}
              - {name: near, username: near, secret: near-secret, scopes: ["aliases:create"], addresses: [127.0.0.0/8]}

            """
        let base = Setting.base.replacing("server: {", with: "server: {proxyProtocol: true, ")
        return try GatewayProcess(in: Setting.workspace(base.trimmingCharacters(in: .newlines) + "\n" + inside))
    }

    private static let request: String = {
        let body = #"{"data":[{"value":"v","format":"UUID"}]}"#
        let secret = Data("inside:inside-secret".utf8).base64EncodedString()
        return "POST /aliases HTTP/1.1\r\nHost: a\r\nAuthorization: Basic \(secret)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }()

    /// A client whose address the balancer does not know is not where the balancer is.
    @Test(arguments: [
        (header(0x20, 0x00, []), 201), (header(0x21, 0x00, []), 403), (header(0x21, 0x12, v4), 403),
        (Array("PROXY UNKNOWN\r\n".utf8), 403),
    ])
    func unknownClients(header: [UInt8], status: Int) throws {
        let gateway = try gateway()
        let connection = try Connection(port: gateway.port)
        let near = Data("near:near-secret".utf8).base64EncodedString()
        let inside = Data("inside:inside-secret".utf8).base64EncodedString()
        try connection.send(header + Array(Self.request.replacing(inside, with: near).utf8))
        #expect(try connection.receive().status == status)
    }

    /// Nor does it choose its address in a request that is refused before anybody looks at it.
    @Test func unknownClientsThatAreRefused() throws {
        let gateway = try gateway()
        let connection = try Connection(port: gateway.port)
        let request =
            "POST /aliases HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.7\r\nContent-Length: 99999999\r\n\r\n"
        try connection.send("PROXY UNKNOWN\r\n" + request)
        let response = try connection.receive()
        #expect(response.status == 413)
        let id = try #require(response["X-Request-Id"])
        try eventually("the request is logged") {
            gateway.log.split(separator: "\n").contains {
                $0.contains(id) && $0.contains("\"client\":\"127.0.0.1\"")
            }
        }
        #expect(!gateway.log.contains("203.0.113.7"))
    }

    /// The address of version 2 is the client's, for what a credential may and for what is recorded; what a balancer says for itself
    /// is its own.
    @Test func versionTwo() throws {
        let gateway = try gateway()
        let cases: [(header: [UInt8], status: Int, address: String)] = [
            (Self.header(0x21, 0x11, Self.v4), 201, "198.51.100.7"),
            (Self.header(0x21, 0x11, Self.v4, more: Self.noop), 201, "198.51.100.7"),
            (Self.header(0x21, 0x21, Self.v6), 201, "2001:db8::7"),
            // LOCAL, and families that have no address of the Internet.
            (Self.header(0x20, 0x11, Self.v4), 403, "127.0.0.1"), (Self.header(0x20, 0x00, []), 403, "127.0.0.1"),
            (Self.header(0x21, 0x00, []), 403, "127.0.0.1"),
            (Array("PROXY TCP4 198.51.100.7 192.0.2.1 40000 443\r\n".utf8), 201, "198.51.100.7"),
            (Array("PROXY UNKNOWN\r\n".utf8), 403, "127.0.0.1"),
        ]
        for (index, entry) in cases.enumerated() {
            let connection = try Connection(port: gateway.port)
            // Byte by byte, or together with the request.
            if index % 2 == 0 {
                for byte in entry.header { try connection.send([byte]) }
                try connection.send(Self.request)
            } else {
                try connection.send(entry.header + Array(Self.request.utf8))
            }
            let response = try connection.receive()
            #expect(response.status == entry.status, "case \(index)")
            let id = try #require(response["X-Request-Id"])
            try eventually("the request is logged") {
                gateway.log.split(separator: "\n").contains {
                    $0.contains(id) && $0.contains("\"client\":\"\(entry.address)\"")
                }
            }
            // The second request of the connection has no header, and the same client.
            try connection.send(Self.request)
            #expect(try connection.receive().status == entry.status)
        }
        #expect(try gateway.stop() == .exit(0))
        let audit = gateway.workspace.read("data/vault.audit.log")
        #expect(audit.contains(#""address":"198.51.100.7""#) && audit.contains(#""address":"2001:db8::7""#))
    }

    /// Without a header that is whole and right nothing is answered: a client must not choose its address.
    @Test func otherBeginnings() throws {
        let gateway = try gateway()
        let whole = Self.header(0x21, 0x11, Self.v4)
        for (index, beginning) in [
            Array(Self.request.utf8), whole.dropLast(), Self.header(0x22, 0x11, Self.v4),
            Self.header(0x31, 0x11, Self.v4),
            Self.header(0x21, 0x11, Array(Self.v4.dropLast(4))), [14] + whole.dropFirst(),
            Array("PROXY TCP4 198.51.100.007 192.0.2.1 40000 443\r\n".utf8),
            Array("PROXY TCP6 198.51.100.7 192.0.2.1 40000 443\r\n".utf8), whole + whole,
        ].enumerated() {
            let connection = try Connection(port: gateway.port)
            try connection.send(Array(beginning))
            connection.endSending()
            let rest = try connection.receiveRest()
            // Of two headers the second is no request.
            #expect(index == 8 ? rest.hasPrefix("HTTP/1.1 400 ") : rest.isEmpty, "case \(index): \(rest)")
        }
        #expect(try gateway.stop() == .exit(0))
    }
}
