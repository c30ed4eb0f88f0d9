import FormSchema
import Testing

@testable import Configuration

/// `server.listen` and `admin.listen`.
@Suite struct ListenSettingTests {
    @Test func anAddressIsListenedOnOnce() throws {
        #expect(places(try load("server: {listen: [\"127.0.0.1:1\", \"127.0.0.1:1\"]}\n")) == ["1 server.listen"])
        #expect(
            places(try load("server: {listen: [\"127.0.0.1:9080\"]}\n")).map { $0.hasSuffix("admin.listen") } == [true])
        let both = "server: {listen: [\"127.0.0.1:7\"]}\nadmin: {listen: \"127.0.0.1:7\"}\n"
        #expect(places(try load(both)) == ["2 admin.listen"])
        let any = "server: {listen: [\"127.0.0.1:0\", \"127.0.0.1:0\"]}\nadmin: {listen: \"127.0.0.1:0\"}\n"
        #expect(places(try load(any)) == [])
    }

    /// All addresses of a version, and one of them.
    @Test(arguments: [
        ("0.0.0.0:7", "127.0.0.1:7", true), ("127.0.0.1:7", "0.0.0.0:7", true), ("[::]:7", "[::1]:7", true),
        ("[0::0]:7", "[::1]:7", true), ("0.0.0.0:7", "127.0.0.1:8", false), ("0.0.0.0:7", "[::1]:7", false),
        ("0.0.0.0:7", "[::]:7", false), ("127.0.0.1:7", "127.0.0.2:7", false),
        ("127.0.0.1:7", "[::ffff:127.0.0.1]:7", true),
    ])
    func aPortIsListenedOnOnce(one: String, other: String, overlaps: Bool) throws {
        let secret = "credentials: [{name: a, secret: {hash: \"\(Self.hash)\"}, scopes: []}]\n"
        let listed = try load("server: {listen: [\"\(one)\", \"\(other)\"]}\n" + secret)
        #expect(places(listed).contains("1 server.listen") == overlaps, "\(listed.mistakes)")
        let admin = try load("server: {listen: [\"\(one)\"]}\nadmin: {listen: \"\(other)\"}\n" + secret)
        #expect(admin.mistakes.contains { $0.message.contains("is one of server.listen") } == overlaps)
    }

    private static let hash =
        "pbkdf2-sha256$100000$000102030405060708090a0b0c0d0e0f$" + String(repeating: "ab", count: 32)

    /// What cannot be listened on is found while there is a line to point at, and no vault yet.
    @Test(arguments: [
        ("example.com:23000", false), ("127.0.0.256:23000", false), ("[::g]:23000", false), ("127.1:1", false),
        ("[fe80::1%lo]:1", false), ("localhost.:1", false), ("127.0.0.1:1", true), ("localhost:1", true),
        ("[::1]:1", true),
    ])
    func addressesAreNumbers(address: String, isOne: Bool) throws {
        let loaded = try load("server:\n  listen: [\"127.0.0.1:0\", \"\(address)\"]\nadmin: {listen: \"\(address)\"}\n")
        let admin = isOne ? "is one of server.listen" : "give an address in numbers, or localhost"
        #expect(places(loaded) == (isOne ? ["3 admin.listen"] : ["2 server.listen[1]", "3 admin.listen"]))
        #expect(loaded.mistakes.last?.message.hasSuffix(admin) == true, "\(loaded.mistakes)")
    }

    /// However they are written.
    @Test(arguments: [
        ("127.0.0.1", true), ("127.8.9.10", true), ("localhost", true), ("[::1]", true), ("[0:0:0:0:0:0:0:1]", true),
        ("[::ffff:127.0.0.1]", true), ("[::ffff:7f00:1]", true), ("128.0.0.1", false), ("[::ffff:128.0.0.1]", false),
        ("[::2]", false), ("[1::1]", false), ("0.0.0.0", false), ("[::]", false), ("[::127.0.0.1]", false),
    ])
    func loopbackAddresses(host: String, isLoopback: Bool) throws {
        #expect(try #require(ListenAddress("\(host):1")).isLoopback == isLoopback)
    }

    /// `localhost` is a number too.
    @Test func twoNamesOfOneAddress() throws {
        #expect(places(try load("server: {listen: [\"127.0.0.1:1\", \"localhost:1\"]}\n")) == ["1 server.listen"])
        let both = "server: {listen: [\"127.0.0.1:7\"]}\nadmin: {listen: \"localhost:7\"}\n"
        #expect(places(try load(both)) == ["2 admin.listen"])
    }
}
