import JSON
import Testing

/// Strings: escapes (RFC 8259 §7), UTF-8 (RFC 3629 §4), surrogates (RFC 8259 §8.2).
struct StringTests {
    @Test(arguments: [
        ("", ""), ("a", "a"), ("é€😀", "é€😀"), (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"a\nb"#, "a\nb"),
        (#"\u0041"#, "A"), (#"\u00e9\u00E9"#, "éé"), (#"\u20AC"#, "€"), (#"\u0000"#, "\u{0}"), (#"\u001f"#, "\u{1F}"),
        (#"\ud83d\ude00"#, "😀"), (#"\uD83D\uDE00"#, "😀"), (#"\uD800\uDC00"#, "\u{10000}"),
        (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"\uFFFE\uFFFF"#, "\u{FFFE}\u{FFFF}"),
        (#"\uD7FF\uE000"#, "\u{D7FF}\u{E000}"),
        (#"\\u0041"#, #"\u0041"#), (#"\\\u0041"#, #"\A"#), ("/", "/"), ("'", "'"), ("\u{7F}\u{80}", "\u{7F}\u{80}"),
        (#"é\u00e9é"#, "ééé"), (#"\u0022\u005C"#, #""\"#), (#"a\tb\tc\t"#, "a\tb\tc\t"), (#"\n\n"#, "\n\n"),
    ])
    func read(_ text: String, _ value: String) throws {
        let read = try #require(try string(Array(text.utf8)))
        #expect(read.hasSameBytes(as: value))
    }

    @Test(arguments: [
        (#"\a"#, JSONError.Reason.badEscape), (#"\'"#, .badEscape), (#"\0"#, .badEscape), (#"\x41"#, .badEscape),
        (#"\U0041"#, .badEscape), (#"\N"#, .badEscape), ("\\\n", .badEscape), (#"\ "#, .badEscape),
        (#"\é"#, .badEscape),
        (#"\u004"#, .badEscape), (#"\u"#, .badEscape), (#"\u00g1"#, .badEscape), (#"\u 041"#, .badEscape),
        (#"\u+041"#, .badEscape), (#"\u-041"#, .badEscape), (#"\u{41}"#, .badEscape), (#"\u０041"#, .badEscape),
        (#"\ud800"#, .loneSurrogate), (#"\udc00"#, .loneSurrogate), (#"\ud800a"#, .loneSurrogate),
        (#"\ud800\n"#, .loneSurrogate), (#"\ud800\u0041"#, .loneSurrogate), (#"\ud800\ud800"#, .loneSurrogate),
        (#"\ud800\ud800\udc00"#, .loneSurrogate), (#"\ude00\ud83d"#, .loneSurrogate),
        (#"\ud83d\ue000"#, .loneSurrogate), (#"\udc00\udc00"#, .loneSurrogate),
        (#"\udfff"#, .loneSurrogate), (#"\ud83d\\ude00"#, .loneSurrogate), (#"\ud83d\udbff"#, .loneSurrogate),
        (#"\ud800\u00"#, .badEscape), (#"\ud800\ug000"#, .badEscape),
    ])
    func refuseEscape(_ text: String, _ reason: JSONError.Reason) {
        #expect(refusal(of: Array("\"\(text)\"".utf8)) == reason)
        #expect(refusal(of: Array("{\"\(text)\":1}".utf8)) == reason)
    }

    @Test func controlCharactersMustBeEscaped() throws {
        for control in UInt8(0)...0x1F {
            #expect(refusal(of: [0x22, control, 0x22]) == .controlCharacter, "\(control)")
            #expect(refusal(of: [0x22, 0x5C, 0x6E, 0x61, control, 0x22]) == .controlCharacter, "\(control)")
        }
        #expect(try string([0x7F]) == "\u{7F}")
    }

    /// The bounds of well-formed sequences (RFC 3629 §4; the Unicode Standard, table 3-7).
    @Test(
        arguments: [
            [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xE1, 0x80, 0x80], [0xEC, 0xBF, 0xBF], [0xED, 0x9F, 0xBF],
            [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF3, 0xBF, 0xBF, 0xBF],
            [0xF4, 0x8F, 0xBF, 0xBF],
        ] as [[UInt8]])
    func wellFormedUTF8(_ bytes: [UInt8]) throws {
        let read = try #require(try string(bytes))
        #expect(Array(read.utf8) == bytes)
        let afterEscape = try #require(try string(Array(#"\n"#.utf8) + bytes))
        #expect(Array(afterEscape.utf8) == [0x0A] + bytes)
    }

    @Test(
        arguments: [
            // Continuations without a start, and starts without all their continuations.
            [0x80], [0xBF], [0x61, 0x80], [0xC2], [0xC2, 0x41], [0xE1, 0x80], [0xE1, 0x80, 0x41], [0xE1],
            [0xF1, 0x80, 0x80],
            [0xF1, 0x80], [0xF1], [0xC3, 0xA9, 0xA9], [0xE2, 0x82, 0x5C, 0x6E],
            // Overlong forms.
            [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80],
            // Surrogates, alone and in pairs (CESU-8).
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80],
            // Beyond U+10FFFF, and bytes that never occur.
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF7, 0xBF, 0xBF, 0xBF], [0xFE], [0xFF], [0xFF, 0xFE],
        ] as [[UInt8]])
    func malformedUTF8(_ bytes: [UInt8]) {
        let key: [UInt8] = [0x7B, 0x22] + bytes + Array("\":1}".utf8)
        #expect(refusal(of: [0x22] + bytes + [0x22]) == .invalidUTF8)
        #expect(refusal(of: Array(#""\n"#.utf8) + bytes + [0x22]) == .invalidUTF8)
        #expect(refusal(of: [0x22] + bytes + Array(#"\n""#.utf8)) == .invalidUTF8)
        #expect(refusal(of: key) == .invalidUTF8)
    }
}
