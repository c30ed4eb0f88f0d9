import Testing

@testable import Access

@Suite("Networks")
struct NetworkTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("0.0.0.0/0", "203.0.113.9", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true), ("::/0", "203.0.113.9", false),
        ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.128/25", "192.0.2.255", true),
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.1/32", "192.0.2.1", true),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
        ("2001:db8::8000:0:0:0/65", "2001:db8::8000:0:0:1", true),
        ("2001:db8::8000:0:0:0/65", "2001:db8::7fff:0:0:1", false), ("::1/128", "::1", true), ("::1", "::2", false),
        ("::ffff:10.0.0.0/104", "10.9.9.9", true), ("192.168.128.0/17", "192.168.127.255", false),
        ("2001:db8:8000::/33", "2001:db8:7fff::1", false),
    ])
    func contains(network: String, address: String, isInside: Bool) throws {
        let network = try #require(Network(network))
        #expect(network.contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/8/8", "10.0.0.1/8",
        "2001:db8::1/32",
        "::/129", "example.com", "10.0.0.0/+8", "10.0.0.0/8 ", "10.0.0/8", "host/8", "[::1]/128", "10.0.0.0/ 8",
        "10.0.0.0/٨", "192.168.128.0/16",
    ])
    func refuses(text: String) {
        #expect(Network(text) == nil)
    }
}
