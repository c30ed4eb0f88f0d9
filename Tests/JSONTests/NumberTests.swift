import JSON
import Testing

/// Numbers (RFC 8259 §6) keep the text they were written with.
struct NumberTests {
    @Test(arguments: [
        "0", "-0", "1", "-1", "10", "1234567890", "0.0", "-0.0", "1.10", "0.1", "1.000", "10.01", "0e0", "0E0", "0e+0",
        "0e-0", "1e1", "1E1", "1e+1", "1e-1", "1e01", "1.5e300", "1e400", "-1e-400", "12345678901234567890123",
        "-9223372036854775808", "9223372036854775807", "9223372036854775808", "0.12345678901234567890123456789",
        "1e99999999999999999999", "123.456E-789",
    ])
    func keepTheirText(_ text: String) throws {
        for (before, after) in [("", ""), (" ", " "), ("[", "]"), ("{\"a\":", "}"), ("[1,", ",2]")] {
            let value = try JSONValue.parse(Array((before + text + after).utf8))
            #expect(written(value) == (before + text + after).filter { $0 != " " })
        }
        guard case .number(let number) = try JSONValue.parse(Array(text.utf8)) else {
            Issue.record("no number")
            return
        }
        #expect(number.text == text)
    }

    @Test(arguments: [
        ("00", JSONError.Reason.badNumber), ("01", .badNumber), ("-01", .badNumber), ("-00", .badNumber),
        ("--1", .badNumber), ("-a", .badNumber), ("-.5", .badNumber), ("1.a", .badNumber), ("1.e1", .badNumber),
        ("1..2", .badNumber), ("1ee1", .badNumber), ("1e1.", .trailingText), ("1e1.5", .trailingText),
        ("1.2.3", .trailingText),
        ("1e+-1", .badNumber), ("1e a", .badNumber), ("-Infinity", .badNumber), ("-NaN", .badNumber),
        ("- 1", .badNumber),
        ("1 .5", .trailingText), ("1e", .unexpectedEnd), ("0.", .unexpectedEnd), ("012.5", .badNumber),
        ("1+1", .trailingText),
        ("١", .expectedValue), ("1١", .trailingText), ("½", .expectedValue), ("0b1", .trailingText),
        ("0o7", .trailingText),
        ("1e1e1", .trailingText), ("0e", .unexpectedEnd), ("0.0.0", .trailingText), ("1-", .trailingText),
    ])
    func refused(_ text: String, _ reason: JSONError.Reason) {
        #expect(refusal(of: Array(text.utf8)) == reason)
        #expect(refusal(of: Array("[\(text)]".utf8)) != nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("12", 12), ("-12", -12), ("9223372036854775807", Int.max),
            ("-9223372036854775808", Int.min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil), ("1e2", nil), ("0.5", nil),
        ] as [(String, Int?)])
    func wholeNumbers(_ text: String, _ value: Int?) throws {
        guard case .number(let number) = try JSONValue.parse(Array(text.utf8)) else {
            Issue.record("no number")
            return
        }
        #expect(number.int == value)
    }

    @Test func madeFromInt() {
        #expect(JSONNumber(-5).text == "-5")
        #expect(JSONNumber(.min).int == .min)
    }
}
