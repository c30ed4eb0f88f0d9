import JSON
import Testing

/// The grammar of RFC 8259 §2–§7: what is a JSON text, what is not, and for which reason.
struct GrammarTests {
    @Test(arguments: [
        ("null", "null"), ("true", "true"), ("false", "false"), ("0", "0"), ("\"\"", "\"\""), ("[]", "[]"),
        ("{}", "{}"),
        (" \t\r\nnull \t\r\n", "null"), ("[ ]", "[]"), ("{ }", "{}"), ("[\n]", "[]"),
        ("[1,2]", "[1,2]"), (" [ 1 , 2 ] ", "[1,2]"), ("[[],[[]],{}]", "[[],[[]],{}]"),
        ("{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}"), ("{ \"b\" : 1 , \"a\" : 2 }", "{\"b\":1,\"a\":2}"),
        ("{\"\":null}", "{\"\":null}"), ("{\"a\":{\"a\":{\"a\":[]}}}", "{\"a\":{\"a\":{\"a\":[]}}}"),
        ("[null,true,false,0,\"\",[],{}]", "[null,true,false,0,\"\",[],{}]"),
        ("[\"\u{7F}\"]", "[\"\u{7F}\"]"), ("[\"\u{2028}\u{2029}\u{FEFF}\"]", "[\"\u{2028}\u{2029}\u{FEFF}\"]"),
        ("{\"a\":1,\"A\":2,\"a \":3}", "{\"a\":1,\"A\":2,\"a \":3}"),
    ])
    func accepts(_ text: String, _ compact: String) throws {
        #expect(try written(.parse(Array(text.utf8))) == compact)
    }

    @Test(arguments: [
        ("", JSONError.Reason.unexpectedEnd), (" ", .unexpectedEnd), ("\n\t\r ", .unexpectedEnd),
        ("[", .unexpectedEnd), ("[1", .unexpectedEnd), ("[1,", .unexpectedEnd), ("[[]", .unexpectedEnd),
        ("{", .unexpectedEnd), ("{\"a\"", .unexpectedEnd), ("{\"a\":", .unexpectedEnd), ("{\"a\":1", .unexpectedEnd),
        ("{\"a\":1,", .unexpectedEnd), ("\"", .unexpectedEnd), ("\"a", .unexpectedEnd), ("\"\\", .unexpectedEnd),
        ("\"\\\"", .unexpectedEnd), ("\"\\u", .unexpectedEnd), ("\"\\u00", .unexpectedEnd), ("n", .unexpectedEnd),
        ("tru", .unexpectedEnd), ("fals", .unexpectedEnd), ("-", .unexpectedEnd), ("1.", .unexpectedEnd),
        ("1e", .unexpectedEnd), ("1e+", .unexpectedEnd), ("\"\\ud800", .unexpectedEnd), ("\"\\ud800\\", .unexpectedEnd),
        ("[,]", .expectedValue), ("[1,]", .expectedValue), ("[,1]", .expectedValue), ("[1,,2]", .expectedValue),
        ("]", .expectedValue), ("}", .expectedValue), (",", .expectedValue), (":", .expectedValue),
        ("[}", .expectedValue), ("{\"a\":}", .expectedValue), ("{\"a\":,}", .expectedValue), ("'a'", .expectedValue),
        ("nul]", .expectedValue), ("nulL", .expectedValue), ("True", .expectedValue), ("NULL", .expectedValue),
        ("truf", .expectedValue), ("NaN", .expectedValue), ("nan", .expectedValue), ("Infinity", .expectedValue),
        ("undefined", .expectedValue), ("+1", .expectedValue), (".5", .expectedValue), ("/**/1", .expectedValue),
        ("//\n1", .expectedValue), ("#\n1", .expectedValue), ("\u{FEFF}1", .expectedValue), ("\u{A0}1", .expectedValue),
        ("\u{B}1", .expectedValue), ("\u{C}1", .expectedValue), ("\u{0}1", .expectedValue),
        ("\u{2028}1", .expectedValue),
        ("[\u{0}]", .expectedValue), ("\\u0031", .expectedValue), ("a", .expectedValue), ("[a]", .expectedValue),
        ("{1:1}", .expectedKey), ("{a:1}", .expectedKey), ("{'a':1}", .expectedKey), ("{,}", .expectedKey),
        ("{\"a\":1,}", .expectedKey), ("{\"a\":1,,\"b\":2}", .expectedKey), ("{null:1}", .expectedKey),
        ("{]", .expectedKey), ("{[]:1}", .expectedKey), ("{:1}", .expectedKey),
        ("{\"a\" 1}", .expectedColon), ("{\"a\",1}", .expectedColon), ("{\"a\"}", .expectedColon),
        ("{\"a\"=1}", .expectedColon), ("{\"a\"\"b\"}", .expectedColon), ("{\"a\"::1}", .expectedValue),
        ("[1 2]", .expectedCommaOrEnd), ("[1:2]", .expectedCommaOrEnd), ("[1}", .expectedCommaOrEnd),
        ("[\"a\"\"b\"]", .expectedCommaOrEnd), ("[1;2]", .expectedCommaOrEnd), ("{\"a\":1]", .expectedCommaOrEnd),
        ("{\"a\":1 \"b\":2}", .expectedCommaOrEnd), ("{\"a\":1;}", .expectedCommaOrEnd),
        ("[1/**/]", .expectedCommaOrEnd),
        ("{\"a\":1:2}", .expectedCommaOrEnd), ("[truee]", .expectedCommaOrEnd), ("[1\u{A0}]", .expectedCommaOrEnd),
        ("1 2", .trailingText), ("{}{}", .trailingText), ("[]]", .trailingText), ("{}}", .trailingText),
        ("null,", .trailingText), ("nulll", .trailingText), ("1a", .trailingText), ("\"\"\"", .trailingText),
        ("1\u{0}", .trailingText), ("{} //", .trailingText), ("1 /**/", .trailingText), ("[]\u{FEFF}", .trailingText),
        ("0x10", .trailingText), ("1_000", .trailingText), ("1L", .trailingText), ("{}#", .trailingText),
    ])
    func refuses(_ text: String, _ reason: JSONError.Reason) {
        #expect(refusal(of: Array(text.utf8)) == reason)
    }

    /// Other encodings than UTF-8 are refused (RFC 8259 §8.1).
    @Test(
        arguments: [
            [0xFF, 0xFE, 0x31, 0x00], [0xFE, 0xFF, 0x00, 0x31], [0x31, 0x00], [0x00, 0x31], [0x31, 0x00, 0x00, 0x00],
            [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], [0xEF, 0xBB, 0xBF], [0xE5], [0x5B, 0xFF, 0x5D],
        ] as [[UInt8]])
    func otherEncodings(_ bytes: [UInt8]) {
        #expect(refusal(of: bytes) != nil)
    }

    @Test func everyPrefixOfATextIsRefused() {
        let text = Array("{\"a\":[1,-2.5e-3,true,false,null,\"x\\n\\u00e9\\ud83d\\ude00\"],\"b\":{}}".utf8)
        #expect(refusal(of: text) == nil)
        for count in text.indices { #expect(refusal(of: Array(text[..<count])) == .unexpectedEnd, "\(count)") }
    }
}
