import Sensitive
import Testing

@testable import Gateway

/// A short value where it stands by itself, and where something else holds its characters (docs/reference/proxy.md section 7).
@Suite struct SurroundingsTests {
    private func scrub(_ text: String, _ syntax: TextSyntax, _ value: String) throws -> String {
        let finder = ValueFinder([(SensitiveText(value), "ALIAS")])
        let whole = Array(text.utf8)
        var scrubber = ResponseScrubber(finder, syntax)
        let scrubbed = try scrubber.scrub(whole, isLast: true)
        // However it is split, it is the same.
        for size in [1, 2, 5] {
            var scrubber = ResponseScrubber(finder, syntax)
            var pieces: [UInt8] = []
            for start in stride(from: 0, to: whole.count, by: size) {
                pieces += try scrubber.scrub(Array(whole[start..<min(start + size, whole.count)]), isLast: false)
            }
            pieces += try scrubber.scrub([], isLast: true)
            #expect(pieces == scrubbed, "by \(size)")
        }
        return String(decoding: scrubbed, as: UTF8.self)
    }

    /// Texts with `_` in the place of the value, with those of digits, of a word and of a name whose value is replaced there.
    private static let places: [(text: String, digits: Bool, word: Bool, phrase: Bool)] = [
        ("_", true, true, true), (" _, ", true, true, true), ("a,_,b", true, true, true), ("/_/", true, true, true),
        // Numbers with a point, also as beginnings of lines in lists, and versions.
        ("1._", false, true, true), ("v1._", false, true, true), ("_.5", false, true, true), ("1. _", true, true, true),
        ("_.", true, true, true), ("_. 5", true, true, true), ("a._.b", true, true, true), ("/1._/", false, true, true),
        // Times: the fraction of one, and what stands behind one in a list.
        ("10:15:30,_", false, true, true), ("at 2031-11-28 10:15:30,_ UTC", false, true, true),
        ("10:31,_", true, true, true), ("exp:31,_", true, true, true), ("mm:12,_", true, true, true),
        ("1:15:30,_", true, true, true), ("10:31,_,x", true, true, true), ("10:15:30, _", true, true, true),
        ("x0:15:30,_", true, true, true), ("10-15:30,_", true, true, true), ("10:15:30.,_", true, true, true),
        // Addresses with their ports.
        ("10.0.0.1:_", false, true, true), ("10.0.0.1:_ logged in", false, true, true), ("10.0.0:_", true, true, true),
        // Identifiers with hyphens.
        ("_-x", false, false, true), ("x-_", false, false, true), ("a-_-b", false, false, true),
        ("_ - x", true, true, true),
        ("-_-", true, true, true),
        // Words and longer digits.
        ("x_", false, false, false), ("_x", false, false, false), ("1_", false, false, false),
        ("__9", false, false, false),
    ]

    @Test(arguments: places)
    func kinds(text: String, digits: Bool, word: Bool, phrase: Bool) throws {
        for (value, isReplaced) in [
            ("739", digits), ("83920", digits), ("Zoe9", word), ("AB12CD34", word), ("O'Neil", word), ("Zoë", word),
            ("Ann Li", phrase), ("J Smith9", phrase), ("Zoë Li", phrase),
        ] {
            let written = text.replacing("_", with: value)
            let expected = isReplaced ? text.replacing("_", with: "ALIAS") : written
            for syntax in [TextSyntax.plain, .markup, .header, .form] {
                #expect(try scrub(written, syntax, value) == expected, "\(value), \(syntax)")
            }
            #expect(try scrub(#"{"m":"\#(written)"}"#, .json, value) == #"{"m":"\#(expected)"}"#, "\(value)")
        }
    }

    /// The same as URLs, forms and JSON write the value.
    @Test(arguments: [
        ("Ann Li", "n=1.Ann+Li&m=2", "n=1.ALIAS&m=2"), ("Ann Li", "/1.Ann%20Li?a", "/1.ALIAS?a"),
        ("Ann Li", "x-Ann%20Li-x", "x-ALIAS-x"), ("Zoe9", "/1.%5aoe9", "/1.ALIAS"),
        ("Ann Li", #"1.Ann\u0020Li"#, "1.ALIAS"),
        ("Zoe9", "10:31,%5Aoe9", "10:31,ALIAS"), ("739", "/1.739", "/1.739"),
        ("739", "m=10%3A31,739", "m=10%3A31,ALIAS"),
        ("739", "t=10:15:30,739&", "t=10:15:30,739&"),
    ])
    func escaped(value: String, text: String, expected: String) throws {
        for syntax in [TextSyntax.plain, .form, .header] { #expect(try scrub(text, syntax, value) == expected) }
        #expect(try scrub(#"{"m":"\#(text)"}"#, .json, value) == #"{"m":"\#(expected)"}"#)
    }
}
