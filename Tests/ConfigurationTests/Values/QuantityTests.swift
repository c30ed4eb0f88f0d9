import Testing

@testable import Configuration

@Suite struct QuantityTests {
    @Test(arguments: [
        ("0", 0), ("17", 17), ("8KiB", 8_192), ("1MiB", 1_048_576), ("2 GiB", 2_147_483_648), ("500kB", 500_000),
        ("3MB", 3_000_000), ("12B", 12), ("1TiB", 1 << 40), ("1TB", 1_000_000_000_000),
    ])
    func amountsOfBytes(text: String, bytes: Int) {
        #expect(ByteCount.parse(text) == bytes)
    }

    @Test(arguments: [
        "", "KiB", "-1", "1.5MiB", "1 mib", "8KiBs", "99999999999999999999", "9999999999GiB", "１KiB", "1  B",
    ])
    func notAmountsOfBytes(text: String) {
        #expect(ByteCount.parse(text) == nil)
    }

    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("10s", .seconds(10)), ("0.5s", .milliseconds(500)),
        ("5m", .seconds(300)), ("1.1s", .milliseconds(1_100)), ("0.007s", .milliseconds(7)), ("1h", .seconds(3_600)),
        ("1.5 h", .seconds(5_400)), ("2d", .seconds(172_800)),
        ("2.05m", .seconds(123)), ("1.1000000000000000000s", .milliseconds(1_100)),
        ("99999999d", .seconds(8_639_999_913_600)),
    ])
    func spansOfTime(text: String, span: Duration) {
        #expect(TimeSpan.parse(text) == span)
    }

    /// One that no number holds is a span, too.
    @Test(arguments: [("99999999999999d", true), ("99999999d", true), ("x", false), ("1.0001s", false)])
    func whatIsASpan(text: String, isSpan: Bool) {
        #expect(TimeSpan.isSpan(text) == isSpan)
    }

    @Test(arguments: ["0", "1ms", "250ms", "1s", "90s", "5m", "61m", "1h", "36h", "366d"])
    func writtenSpansOfTime(text: String) throws {
        #expect(TimeSpan.text(try #require(text == "0" ? .zero : TimeSpan.parse(text))) == text)
    }

    @Test(arguments: [
        "", "s", "10", "-1s", ".5s", "5.s", "1..5s", "10 sec", "1e3s", "99999999999999d", "0.6ms", "999.6ms", "0.0001s",
        "0.9999999999999999999s", "1.0000000000000000000000000000001s",
    ])
    func notSpansOfTime(text: String) {
        #expect(TimeSpan.parse(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", UInt16(8080), true), ("[::1]:0", "::1", 0, true),
        ("localhost:80", "localhost", 80, true), ("0.0.0.0:80", "0.0.0.0", 80, false),
        ("127.9.9.9:1", "127.9.9.9", 1, true), ("127.0.0.1.example:1", "127.0.0.1.example", 1, false),
        ("[::]:443", "::", 443, false), ("10.0.0.1:9", "10.0.0.1", 9, false),
    ])
    func addresses(text: String, host: String, port: UInt16, isLoopback: Bool) {
        let address = ListenAddress(text)
        #expect(address == ListenAddress(host: host, port: port))
        #expect(address?.isLoopback == isLoopback)
        #expect(address?.description == text)
    }

    @Test(arguments: [
        "", "127.0.0.1", ":8080", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[127.0.0.1]:80", "a b:1", "h:-1",
        "h:+80", "h:080", "h:8０",
    ])
    func notAddresses(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
