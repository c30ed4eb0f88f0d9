import Testing

@testable import Gateway

/// Pointers to card numbers in JSON (RFC 6901).
@Suite struct CardNumberPointerTests {
    private static let card = "4111111111111111"

    private func pointers(_ json: String, exempt: PANFilter.Exemptions = []) -> [String]? {
        CardNumberPointers.pointers(Array(json.utf8), exempt: exempt)
    }

    @Test(arguments: [
        (#"{"a":"\#(card)"}"#, ["/a"]), (#"{"a":[1,{"b":\#(card)}]}"#, ["/a/1/b"]), (#""\#(card)""#, [""]),
        (#"{"a/b":{"c~d":["x","\#(card)"]}}"#, ["/a~1b/c~0d/1"]),
        (#"{"\#(card)":{"a":"\#(card)"},"b":"\#(card)"}"#, ["/************1111", "/************1111/a", "/b"]),
        (#"[[["\#(card)"],"\#(card)"],"5555555555554444",\#(card)]"#, ["/0/0/0", "/0/1", "/2"]),
    ])
    func places(json: String, expected: [String]) {
        #expect(pointers(json, exempt: ["5555555555554444"]) == expected)
        #expect(pointers(json, exempt: ["5555555555554444", "4111 1111 1111 1111"]) == nil)
    }

    @Test func nothing() {
        #expect(pointers("[1,2]") == nil)
        #expect(pointers("not JSON 4111111111111111") == nil)
        // In no single text.
        #expect(pointers(#"["4111 1111","1111 1111"]"#) == nil)
    }

    @Test func onlyTheFirst() {
        let many = "[" + [String](repeating: Self.card, count: 50).joined(separator: ",") + "]"
        #expect(pointers(many) == (0..<20).map { "/\($0)" })
    }

    /// What would be too long ends before the token that is.
    @Test(arguments: [(1_017, "/a/0/*/0"), (1_018, "/a/0/*"), (1_019, "/a/0/*"), (1_020, "/a/0"), (100_000, "/a/0")])
    func longNames(length: Int, expected: String) throws {
        let name = String(repeating: "k", count: length)
        let pointer = try #require(pointers(#"{"a":[{"\#(name)":["\#(Self.card)"]}]}"#)?.first)
        #expect(pointer == expected.replacing("*", with: name))
    }
}
