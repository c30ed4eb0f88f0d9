import HTTPWire
import Testing

@testable import Gateway

@Suite struct ForwardPathTests {
    /// However a client writes a path, a session is for what the upstream gets.
    @Test(arguments: [
        ("", "/"), ("/", "/"), ("//", "/"), ("/orders/17", "/orders/17"), ("/orders/17/", "/orders/17/"),
        ("/orders//17", "/orders/17"), ("//orders/17", "/orders/17"), ("/orders/%31%37", "/orders/17"),
        ("/orders%2F17", "/orders/17"), ("/a%20b", "/a b"), ("/%C3%BC", "/ü"), ("/a%2520b", "/a%20b"),
        ("/a%zz", "/a%zz"), ("/a%00", "/a%00"),
    ])
    func thePathOfASession(raw: String, text: String) {
        #expect(Array(ForwardPath.text(of: raw).utf8) == Array(text.utf8))
        guard let path = try? ForwardPath(raw: raw), let again = try? ForwardPath(literal: text) else { return }
        #expect(path.encoded == again.encoded)
    }

    /// proxy, section 3.
    @Test(arguments: [
        ("/in", "/orders/7", "/in/orders/7"), ("/in", "orders/7", "/in/orders/7"),
        ("/in", "orders?x=1", "/in/orders%3Fx=1"), ("/in", "//evil.example/a", "/in/evil.example/a"),
        ("/in", "a b/ü", "/in/a%20b/%C3%BC"), ("/in", "", "/in"), ("/in", "/", "/in"), ("/in/", "", "/in/"),
        ("/in/", "a", "/in/a"), ("/", "a", "/a"), ("/", "", "/"), ("/in", "a/", "/in/a/"),
        ("/in", "a//b///c", "/in/a/b/c"),
        ("/in", "a//", "/in/a/"), ("/in", "100%", "/in/100%25"), ("/in", "a#b", "/in/a%23b"),
        ("/in", "a;b:c@d", "/in/a;b:c@d"),
        ("/in", "...", "/in/..."), ("/in", ".a", "/in/.a"), ("/in", "[x]", "/in/%5Bx%5D"),
        ("/in", "%2e%2e", "/in/%252e%252e"),
    ])
    func literalPaths(base: String, path: String, target: String) throws {
        #expect(try ForwardPath(literal: path).appended(to: base) == target)
    }

    @Test(arguments: [
        ("/orders/7", "orders/7"), ("/a%20b", "a%20b"), ("/a%2fb", "a/b"), ("/%252e%252e/b", "%252e%252e/b"),
        ("/a%3Fb", "a%3Fb"), ("/%C3%BC", "%C3%BC"), ("", ""), ("/a+b", "a+b"), ("/a/b/", "a/b/"), ("/", ""),
        ("a-b_c", "a-b_c"), ("//a", "a"), ("/a//b", "a/b"), ("/%E2%80%A8%E2%80%A9", "%E2%80%A8%E2%80%A9"),
        ("/%C2%A0", "%C2%A0"),
    ])
    func incomingPathsAreDecodedOnce(raw: String, encoded: String) throws {
        #expect(try ForwardPath(raw: raw).encoded == encoded)
    }

    @Test(arguments: [
        "/..", "/..;x", "/a/%2e%2E;v=1/b", "/.;/b", "/.", "/a/../b", "/a/%2e%2e/b", "/a/%2E./b", "/a%2f..%2fb", "/a\\b",
        "/a%5Cb", "/a%00b", "/a%0Ab",
        "/a%7F",
        "/a%C2%80b", "/a%C2%85b", "/a%C2%9Fb", "/%FF", "/%C3", "/%zz", "/%4",
        "/" + String(repeating: "a", count: 2_049),
    ])
    func refusedPaths(raw: String) {
        #expect(throws: ForwardPath.Fault.self) { try ForwardPath(raw: raw) }
    }

    /// 2,048 bytes, decoded and without leading slashes.
    @Test(arguments: ["a", "%41", "%c3%bc", "b%20", "a/"], ["", "/", "///", "%2F", "/%2f/"])
    func theLimit(unit: String, slashes: String) throws {
        let size = try PercentEncoding.decode(unit).utf8.count
        let path = slashes + String(repeating: unit, count: 2_048 / size)
        #expect(try ForwardPath(raw: path).encoded.isEmpty == false)
        #expect(throws: ForwardPath.Fault.tooLong) { try ForwardPath(raw: path + "x") }
        #expect(throws: ForwardPath.Fault.tooLong) { try ForwardPath(raw: path + "%41") }
    }
}
