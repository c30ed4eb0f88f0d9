import Testing

@testable import Configuration

@Suite struct JSONPointerTests {
    /// RFC 6901 section 5, and the star.
    @Test(arguments: [
        ("", []), ("/", [""]), ("/foo/0", ["foo", "0"]), ("/a~1b", ["a/b"]), ("/c%d", ["c%d"]), ("/m~0n", ["m~n"]),
        ("/~01", ["~1"]), ("/items/*/pan", ["items", "*", "pan"]),
    ])
    func tokens(text: String, tokens: [String]) {
        #expect(JSONPointer(text)?.tokens == tokens)
    }

    @Test(arguments: ["a", "/a~", "/~2", "/a~b", "#/a"])
    func refused(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test func elementsAndMembers() throws {
        let pointer = try #require(JSONPointer("/a/*/1/01"))
        #expect(pointer.names(member: "a", at: 0) && !pointer.selects(element: 0, at: 0))
        #expect(pointer.selects(element: 7, at: 1) && pointer.names(member: "*", at: 1))
        #expect(pointer.selects(element: 1, at: 2) && pointer.names(member: "1", at: 2))
        #expect(!pointer.selects(element: 1, at: 3) && !pointer.selects(element: 0, at: 4))
    }
}
