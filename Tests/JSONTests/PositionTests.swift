import JSON
import Testing

/// Errors say where: bytes before the mistake, line and column (in bytes) from 1.
struct PositionTests {
    @Test(arguments: [
        ("", 0, 1, 1), ("x", 0, 1, 1), (" \n x", 3, 2, 2), ("[1,]", 3, 1, 4), ("[1\n,\n]", 5, 3, 1),
        ("{\"a\" 1}", 5, 1, 6),
        ("{\n  \"a\": 1,\n  \"a\": 2\n}", 14, 3, 3), ("[\n01]", 2, 2, 1), ("[true,\n  falsy]", 9, 2, 3),
        ("{}\n\n x", 5, 3, 2), ("\"é\\x\"", 3, 1, 4), ("[\"a\nb\"]", 3, 1, 4), ("\r\n\r\n!", 4, 3, 1), ("[1", 2, 1, 3),
        ("\"ab\\ud800\"", 3, 1, 4), ("[\n\"\\u00zz\"", 3, 2, 2), ("{\"a\":1,\n}", 8, 2, 1), ("-\n", 0, 1, 1),
    ])
    func ofAMistake(_ text: String, _ offset: Int, _ line: Int, _ column: Int) {
        let error = #expect(throws: JSONError.self) { try JSONValue.parse(Array(text.utf8)) }
        #expect(error?.offset == offset)
        #expect(error?.line == line)
        #expect(error?.column == column)
    }

    @Test(
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0x61, 0xC3, 0xA9, 0x80, 0x22], 4),
            ([0x22, 0x5C, 0x6E, 0x61, 0xC0, 0x80, 0x22], 4),
            ([0x5B, 0x22, 0xE2, 0x82, 0x22, 0x5D], 2),
        ] as [([UInt8], Int)])
    func ofBytesThatAreNotUTF8(_ bytes: [UInt8], _ offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONValue.parse(bytes) }
        #expect(error?.reason == .invalidUTF8)
        #expect(error?.offset == offset)
    }

    @Test func theDescriptionQuotesNothing() {
        let error = #expect(throws: JSONError.self) {
            try JSONValue.parse(Array("{\"card\":\n\"4111111111111111\", 4111111111111111".utf8))
        }
        #expect(error?.description == "line 2, column 21: expected a member name in double quotes")
    }
}
