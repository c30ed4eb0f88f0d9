import Testing

@testable import Access

@Suite("Addresses of clients behind proxies")
struct ClientAddressTests {
    private let proxies = TrustedProxies(["10.0.0.0/8", "2001:db8:f::/48"].compactMap { Network($0) })

    struct Case: Sendable, CustomTestStringConvertible {
        var peer = "10.0.0.1"
        var forwarded: [String] = []
        var xForwardedFor: [String] = []
        let client: String
        var isProven = true

        var testDescription: String { "\(peer) \(forwarded) \(xForwardedFor)" }
    }

    @Test(arguments: [
        // A peer that is not trusted says nothing about others.
        Case(peer: "198.51.100.9", xForwardedFor: ["203.0.113.1"], client: "198.51.100.9"),
        Case(client: "10.0.0.1"),
        Case(xForwardedFor: ["203.0.113.1"], client: "203.0.113.1"),
        Case(xForwardedFor: ["6.6.6.6, 203.0.113.1"], client: "203.0.113.1"),
        Case(xForwardedFor: ["6.6.6.6, 203.0.113.1, 10.0.0.2"], client: "203.0.113.1"),
        Case(xForwardedFor: ["6.6.6.6", "203.0.113.1 ,\t10.0.0.2"], client: "203.0.113.1"),
        Case(xForwardedFor: ["203.0.113.1:4711"], client: "203.0.113.1"),
        Case(xForwardedFor: ["[2001:db8::1]:4711"], client: "2001:db8::1"),
        Case(xForwardedFor: ["2001:db8::1"], client: "2001:db8::1"),
        Case(xForwardedFor: ["10.0.0.7, 10.0.0.2"], client: "10.0.0.7"),
        // What stands behind rubbish is not believed, and rubbish at the end hides the client.
        Case(xForwardedFor: ["unknown, 203.0.113.1"], client: "203.0.113.1"),
        Case(xForwardedFor: ["203.0.113.1, unknown"], client: "10.0.0.1", isProven: false),
        Case(xForwardedFor: ["203.0.113.1, unknown, 10.0.0.2"], client: "10.0.0.2", isProven: false),
        Case(xForwardedFor: [""], client: "10.0.0.1", isProven: false),
        Case(xForwardedFor: ["203.0.113.1,"], client: "10.0.0.1", isProven: false),
        Case(xForwardedFor: ["203.0.113.1:99999999"], client: "10.0.0.1", isProven: false),
        Case(xForwardedFor: ["[203.0.113.1]"], client: "10.0.0.1", isProven: false),
        Case(xForwardedFor: ["203.0.113.1\u{0}"], client: "10.0.0.1", isProven: false),
        Case(forwarded: ["for=203.0.113.1"], client: "203.0.113.1"),
        Case(forwarded: ["For=\"[2001:db8:cafe::17]:4711\";proto=https;by=10.0.0.1"], client: "2001:db8:cafe::17"),
        Case(forwarded: ["for=6.6.6.6, for=203.0.113.43;by=10.0.0.9", "for=10.0.0.9"], client: "203.0.113.43"),
        Case(forwarded: ["for=\"203.0.113.1:_port\""], client: "203.0.113.1"),
        Case(forwarded: ["for=203.0.113.1;"], client: "203.0.113.1"),
        Case(forwarded: ["for=\"203.0.113\\.1\""], client: "203.0.113.1"),
        // A comma inside quotes does not make an element of the client's choosing.
        Case(forwarded: ["host=\"a, for=6.6.6.6\";for=203.0.113.1"], client: "203.0.113.1"),
        Case(forwarded: ["for=_hidden"], client: "10.0.0.1", isProven: false),
        Case(forwarded: ["for=unknown, for=10.0.0.2"], client: "10.0.0.2", isProven: false),
        Case(forwarded: ["proto=https"], client: "10.0.0.1", isProven: false),
        Case(forwarded: ["for=1.1.1.1;for=203.0.113.1"], client: "10.0.0.1", isProven: false),
        Case(forwarded: ["for=\"203.0.113.1"], client: "10.0.0.1", isProven: false),
        Case(forwarded: ["for=203.0.113.1 for=1.1.1.1"], client: "10.0.0.1", isProven: false),
        Case(forwarded: ["=203.0.113.1"], client: "10.0.0.1", isProven: false),
        Case(forwarded: ["for="], client: "10.0.0.1", isProven: false),
        Case(forwarded: ["for=203.0.113.1"], xForwardedFor: ["203.0.113.1"], client: "203.0.113.1"),
        // The client wrote one of the two, and nothing tells which.
        Case(forwarded: ["for=10.0.0.5"], xForwardedFor: ["203.0.113.1"], client: "10.0.0.1", isProven: false),
        Case(forwarded: ["for=6.6.6.6"], xForwardedFor: ["203.0.113.1"], client: "10.0.0.1", isProven: false),
        Case(peer: "2001:db8:f::1", xForwardedFor: ["2001:db8:1::1, 2001:db8:f::2"], client: "2001:db8:1::1"),
    ])
    func finds(_ test: Case) throws {
        let peer = try #require(IPAddress(test.peer))
        let client = proxies.client(of: peer, forwarded: test.forwarded, xForwardedFor: test.xForwardedFor)
        #expect(client.address.description == test.client)
        #expect(client.isProven == test.isProven)
    }

    /// Behind a proxy, only its headers prove where a request comes from.
    @Test(arguments: [("10.0.0.1", false), ("198.51.100.9", true)])
    func withoutHeadersThatCanBeRead(peer: String, isProven: Bool) throws {
        let address = try #require(IPAddress(peer))
        #expect(proxies.client(of: address) == ClientAddress(address, isProven: isProven))
    }

    @Test func longChains() throws {
        let peer = try #require(IPAddress("10.0.0.1"))
        let hops = [String](repeating: "10.0.0.2", count: 20_000).joined(separator: ",")
        #expect(!proxies.client(of: peer, forwarded: [], xForwardedFor: [hops]).isProven)
        #expect(!proxies.client(of: peer, forwarded: [hops], xForwardedFor: []).isProven)
    }

    /// Random bytes never trap, and never make a client that is proven to be inside the trusted networks.
    @Test func rubbish() throws {
        let peer = try #require(IPAddress("10.0.0.1"))
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("for=,;\"\\[]:._ 0123456789abcdefFOR\u{0}\u{e9}".utf8)
        for _ in 0..<20_000 {
            let text = String(
                decoding: (0..<Int.random(in: 0..<40, using: &random)).compactMap { _ in alphabet.randomElement() },
                as: UTF8.self)
            _ = proxies.client(of: peer, forwarded: [text], xForwardedFor: [])
            _ = proxies.client(of: peer, forwarded: [], xForwardedFor: [text])
        }
    }
}
