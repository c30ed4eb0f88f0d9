import Testing

@testable import Configuration

@Suite struct CIDRNetworkTests {
    @Test(arguments: [
        "10.0.0.0/8", "192.0.2.7", "192.0.2.7/32", "0.0.0.0/0", "2001:db8::/32", "::/0", "::1", "::1/128",
        "192.168.128.0/17", "2001:db8:8000::/33",
    ])
    func networks(text: String) {
        #expect(CIDRNetwork(text)?.description == text)
    }

    @Test(arguments: [
        "", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8",
        "host/8",
        "2001:db8::1/32", "::/129", "[::1]/128", "10.0.0.0/ 8", "10.0.0.0/٨", "192.168.128.0/16",
    ])
    func notNetworks(text: String) {
        #expect(CIDRNetwork(text) == nil)
    }
}
