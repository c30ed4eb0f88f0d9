import EventIO
import EventIOTesting
import Testing

@testable import EventHTTP

/// The PROXY protocol (haproxy, `doc/proxy-protocol.txt`).
@Suite struct ProxyHeaderTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    static func binary(_ command: UInt8, _ family: UInt8, _ block: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? block.count
        return signature + [command, family, UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)] + block
    }

    private static let four: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 7, 0xDE, 0xAD, 0x01, 0xBB]
    private static let six: [UInt8] =
        [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1] + [UInt8](repeating: 9, count: 16) + [
            0, 80, 1, 187,
        ]

    private func parse(_ bytes: [UInt8]) throws(ProxyHeader.Malformed) -> (String, Int)? {
        try ProxyHeader.parse(bytes.span).map { ($0.source?.description ?? "-", $0.byteCount) }
    }

    @Test(arguments: [
        (Array("PROXY TCP4 192.0.2.1 198.51.100.7 57005 443\r\n".utf8), "192.0.2.1:57005"),
        (Array("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n".utf8), "255.255.255.255:65535"),
        (Array("PROXY TCP6 2001:db8::1 ::1 80 443\r\n".utf8), "[2001:db8::1]:80"),
        (Array("PROXY UNKNOWN\r\n".utf8), "-"),
        (Array("PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n".utf8), "-"),
        (binary(0x21, 0x11, four), "192.0.2.1:57005"),
        (binary(0x21, 0x21, six), "[2001:db8::1]:80"),
        // With an extension of seven bytes.
        (binary(0x21, 0x11, four + [4, 0, 4, 1, 2, 3, 4]), "192.0.2.1:57005"),
        (binary(0x20, 0x00, []), "-"), (binary(0x20, 0x11, four), "-"), (binary(0x21, 0x00, [1, 2, 3]), "-"),
        (binary(0x21, 0x31, [UInt8](repeating: 0, count: 216)), "-"),
    ])
    func headersAreRead(bytes: [UInt8], source: String) throws {
        for end in 0..<bytes.count { #expect(try parse(Array(bytes[..<end])) == nil, "\(end)") }
        for tail in [[], Array("GET / HTTP/1.1\r\n".utf8)] {
            let parsed = try #require(try parse(bytes + tail))
            #expect(parsed == (source, bytes.count))
        }
    }

    @Test(arguments: [
        Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), Array("PROXY\r\n".utf8), Array("POST /".utf8),
        Array("PROXY TCP4 192.0.2.1 198.51.100.7 57005 443\n".utf8),
        Array("PROXY TCP4 192.0.2.1 198.51.100.7 57005\r\n".utf8),
        Array("PROXY TCP4 192.0.2.1 198.51.100.7 57005 443 1\r\n".utf8),
        Array("PROXY  TCP4 192.0.2.1 198.51.100.7 57005 443\r\n".utf8),
        Array("PROXY TCP4 192.0.2.1 198.51.100.7 65536 443\r\n".utf8),
        Array("PROXY TCP4 192.0.2.1 198.51.100.7 080 443\r\n".utf8),
        Array("PROXY TCP4 192.0.2.1 198.51.100.7 +80 443\r\n".utf8),
        Array("PROXY TCP4 192.0.2 198.51.100.7 80 443\r\n".utf8),
        Array("PROXY TCP4 2001:db8::1 ::1 80 443\r\n".utf8), Array("PROXY TCP6 192.0.2.1 ::1 80 443\r\n".utf8),
        Array("PROXY TCP6 2001:db8::1 192.0.2.1 80 443\r\n".utf8), Array("PROXY UDP4 1.1.1.1 1.1.1.2 1 2\r\n".utf8),
        Array(("PROXY UNKNOWN " + String(repeating: "a", count: 94)).utf8), Array("PROXY UNKNOWN \0\r\n".utf8),
        binary(0x11, 0x11, four), binary(0x22, 0x11, four), binary(0x21, 0x41, four), binary(0x21, 0x13, four),
        binary(0x21, 0x11, Array(four.dropLast())), binary(0x21, 0x21, four), binary(0x21, 0x11, four, length: 4_081),
        Array(signature.dropLast()) + [0],
    ])
    func otherBytesAreRefused(bytes: [UInt8]) {
        #expect(throws: ProxyHeader.Malformed.self) { try ProxyHeader.parse(bytes.span) }
    }

    /// Mutated headers: nothing traps, and a result does not depend on how the bytes arrive.
    @Test func mutationsDoNotTrap() {
        var state: UInt64 = 1
        func random() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        let seeds = [
            Self.binary(0x21, 0x11, Self.four), Self.binary(0x21, 0x21, Self.six),
            Array("PROXY TCP6 2001:db8::1 ::1 80 443\r\n".utf8),
        ]
        for _ in 0..<20_000 {
            var bytes = seeds[random() % seeds.count]
            for _ in 0...random() % 3 { bytes[random() % bytes.count] = UInt8(random() & 0xFF) }
            let whole = Result { () throws(ProxyHeader.Malformed) in try ProxyHeader.parse(bytes.span) }
            let part = Result { () throws(ProxyHeader.Malformed) in
                try ProxyHeader.parse(bytes.span.extracting(0..<random() % bytes.count))
            }
            // A prefix is undecided, refused as the whole is, or the header itself.
            if case .success(let header?) = part, case .success(let other) = whole {
                #expect(header.byteCount == other?.byteCount)
            }
            if case .failure = part { #expect(throws: ProxyHeader.Malformed.self) { try whole.get() } }
        }
    }

    @Test(arguments: [false, true], [true, false])
    func theServerTakesTheAddressFromTheHeader(isSecure: Bool, isBinary: Bool) async throws {
        let certificates = TestCertificates.shared
        let context = try TLSServerContext(
            certificateChain: certificates.path("server"), privateKey: certificates.path("server.key"))
        let trust = try TLSClientContext(trustedCA: certificates.path("ca"))
        let header = isBinary ? Self.binary(0x21, 0x11, Self.four) : Array("PROXY TCP4 192.0.2.1 1.1.1.1 1 2\r\n".utf8)
        let handler: Server.Handler = { request in
            ServerResponse(status: 200, body: Array(String(request.remoteBits.low, radix: 16).utf8))
        }
        try await withServer(tls: isSecure ? context : nil, proxyProtocol: true, handler: handler) { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            for byte in header {
                try await socket.write([byte])
                await fixture.loop.sleep(for: .milliseconds(1))
            }
            if isSecure { try await socket.secure(asClient: trust, of: "localhost") }
            try await socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await socket.read(through: "ffffc0000201").hasSuffix("\r\n\r\nffffc0000201"))
            // Without a header there is no response.
            let other = try await fixture.connect()
            try await other.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect((try? await other.readAll()) ?? [] == [])
            other.close()
        }
    }
}
