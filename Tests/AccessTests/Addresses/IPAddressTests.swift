import Testing

@testable import Access

@Suite("IP addresses")
struct IPAddressTests {
    /// Text and canonical text (RFC 4291 section 2.2, RFC 5952 section 4).
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"), ("::", "::"), ("::1", "::1"),
        ("2001:DB8::1", "2001:db8::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("1::", "1::"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
        ("fe80::1:2:3:4", "fe80::1:2:3:4"),
    ])
    func reads(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
    }

    @Test(arguments: [
        "", " ", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.-4", "1.2.3.4 ", "1.2.3.4:80", "0x7f.0.0.1",
        "1..2.3",
        "127.1", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
        "12345::",
        "g::", "[::1]", "::1%eth0", "1.2.3.4::", "::1.2.3", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::ffff:1.2.3.400",
        "١.2.3.4",
        String(repeating: "1", count: 100), "::\u{0}",
    ])
    func refuses(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func zonesOfSockets() {
        #expect(IPAddress("fe80::1%eth0", allowsZone: true) == IPAddress("fe80::1"))
        #expect(IPAddress("fe80::1%eth0") == nil)
    }

    @Test func subscribers() {
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.subscriber == IPAddress("2001:db8:1:2::"))
        #expect(IPAddress("192.0.2.7")?.subscriber == IPAddress("192.0.2.7"))
        #expect(IPAddress("::ffff:192.0.2.7")?.isIPv4 == true)
        #expect(IPAddress("::192.0.2.7")?.isIPv4 == false)
    }
}
