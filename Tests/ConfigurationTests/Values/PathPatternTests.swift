import Testing

@testable import Configuration

@Suite struct PathPatternTests {
    @Test(arguments: [
        ("/", "", true), ("/", "/", true), ("/", "/a", false),
        ("/orders", "/orders", true), ("/orders", "orders", true), ("/orders", "/orders/", false),
        ("/orders", "/Orders", false), ("/orders", "/orders/7", false), ("/orders/", "/orders/", true),
        ("/orders/*", "/orders/7", true), ("/orders/*", "/orders/", false), ("/orders/*", "/orders/7/items", false),
        ("/orders/*", "/orders", false), ("/orders/*/items", "/orders/7/items", true),
        ("/orders/o-*", "/orders/o-7", true), ("/orders/o-*", "/orders/7", false), ("/a/*-x-*", "/a/1-x-2", true),
        ("/a/*-x-*", "/a/1-y-2", false), ("/a/ab*ba", "/a/aba", false), ("/a/ab*ba", "/a/abba", true),
        ("/orders/**", "/orders/7/items", true), ("/orders/**", "/orders", true), ("/orders/**", "/order", false),
        ("/**", "/anything/at/all", true), ("/**", "", true),
        ("/a b", "/a b", true), ("/ü", "/ü", true), ("/a%2Fb", "/a/b", false),
    ])
    func matches(pattern: String, path: String, expected: Bool) throws {
        let pattern = try #require(PathPattern(pattern))
        #expect(pattern.matches(Self.encoded(path)) == expected)
    }

    /// As a request's path reaches the pattern.
    private static func encoded(_ path: String) -> String {
        path.drop { $0 == "/" }.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { PathText.encode(Substring($0).utf8) }.joined(separator: "/")
    }

    @Test(arguments: ["", "orders", "/a/../b", "/**/a", "/a**", "/a//b", "/a\\b"])
    func isNoPattern(text: String) {
        #expect(PathPattern(text) == nil)
    }
}
