import FormSchema
import HTTPWire
import JSON
import Testing
import Vault

@testable import Configuration
@testable import Gateway

/// Texts that must not be stored, in a response (`docs/reference/proxy.md` section 8).
@Suite struct FleetingTextTests {
    private static let form = """
        form: pay
        fields:
          - {name: code, type: cvc}
          - {name: pan, tokenization: {format: UUID, storage: VOLATILE}}
          - {name: word, transform: {case: upper}, tokenization: {format: UUID, storage: VOLATILE}}
          - {name: note}
        """

    private func texts(_ aliases: [String] = []) throws -> FleetingTexts {
        let log = MistakeLog(file: nil)
        let root = try #require(YAMLDocument.root(of: Self.form, log: log))
        let context = FormContext(
            dependencies: .gateway, routes: [:], aliasFallback: .none, maxItems: 3, bodyLimit: nil)
        let form = try #require(
            FormSchema.load(Document(file: nil, root: root), in: context.loadContext, log: log), "\(log.mistakes)")
        let body = #"{"fields":{"code":"321","pan":"4539 6001 6659 4134","word":"qzwxlph","note":"open"}}"#
        let text = try JSONText(parsing: Array(body.utf8))
        let today = try #require(CalendarDay(year: 2026, month: 11, day: 22))
        let evaluation = form.evaluate(try Submission(text, for: form), today: today)
        return FleetingTexts(of: text, form, evaluation.aliasItems, aliases)
    }

    @Test(arguments: [
        #"{"cvc":"321"}"#, #"{"cvc":321}"#, "321", "a=1&cvc=321&b=2", #"{"a":"\u00332\u0031"}"#, "cvc=%3321",
        #"{"n":"4539600166594134"}"#, "card 4539 6001 6659 4134 declined", "4539-6001-6659-4134", "4539+6001+6659+4134",
        #"{"\u0034539600166594134":1}"#, "x4539600166594134x", "alias tok_part!",
        // As it was submitted, and as it is stored.
        "qzwxlph", "QZWXLPH",
        "CVC321", "321x", "cvc-321", "a321-", "0321a3f1-4a32-4c32-b321-a3210a321bc", "{\"a\":321.0}", #"{"a":3.21e2}"#,
        #"{"a":321.0,"b":1}"#, #"{"a":"%33\u00321"}"#,
    ])
    func found(body: String) throws {
        let response = CallResponse(status: 200, body: Array(body.utf8))
        #expect(try texts(["tok_part"]).occur(in: response))
    }

    /// The gateway's own header: a code that is equal to it is not in the response.
    @Test func theStatusIsNoText() throws {
        let response = CallResponse(status: 321, headers: [("Cloakroom-Upstream-Status", "321")], body: [])
        #expect(try !texts().occur(in: response))
        let other = CallResponse(status: 321, headers: [("X-Status", "321")], body: [])
        #expect(try texts().occur(in: other))
    }

    @Test(arguments: [
        "", "{}", "1321", "3210", "a321b", "open", "32 1 ", "4539600166594135", "tok_other",
        #"{"at":"2026-11-25T10:15:30.321Z"}"#, #"{"price":12.321,"total":321.50}"#,
        "0321a3f1-4a32-4c32-b321-a3210a321bcd", #"{"id":"321a0000-0000-4000-8000-00000000a321"}"#,
        // Escapes that are none.
        #"\u-001"#, #"\u+032\u-07f"#, #"3\u"#, "%-1%+1%", #"a\"#, "33%-21",
    ])
    func notFound(body: String) throws {
        let response = CallResponse(status: 200, headers: [("X-A", body)], body: Array(body.utf8))
        #expect(try !texts(["tok_part"]).occur(in: response))
    }

    @Test func inHeaders() throws {
        let texts = try texts()
        #expect(texts.occur(in: CallResponse(status: 302, headers: [("Location", "/x?card=4539600166594134")])))
        var opaque = CallResponse(status: 200)
        opaque.fixed = try FieldBlock(opaque: [("X", [0xFF, 0x20] + Array("321".utf8))])
        #expect(texts.occur(in: opaque))
    }

    /// What can't be searched may hold one: compressed, in two bytes a character, or in EBCDIC.
    @Test(
        arguments: [[0x1F, 0x8B, 8, 0], [0x33, 0, 0x32, 0, 0x31, 0], [0x4C, 0x6F, 0xA7, 0x94, 0xF3, 0xF2, 0xF1]]
            as [[UInt8]])
    func whatIsNoText(body: [UInt8]) throws {
        #expect(try texts().occur(in: CallResponse(status: 200, body: body)))
    }

    /// A text that begins again within itself is found wherever it stands: as by comparing at every place.
    @Test func selfSimilar() throws {
        var generator = SystemRandomNumberGenerator()
        func random(_ count: Int) -> String {
            String((0..<count).map { _ in Bool.random(using: &generator) ? "a" : "b" })
        }
        for _ in 0..<100 {
            let (text, body) = (random(Int.random(in: 8...12, using: &generator)), random(200))
            let places = (0...(body.count - text.count)).contains { start in
                body.dropFirst(start).hasPrefix(text)
            }
            let found = try texts([text]).occur(in: CallResponse(status: 200, body: Array(body.utf8)))
            #expect(found == places, "\(text) in \(body)")
        }
        // What takes too long to look through is not stored.
        for (text, other) in [
            (String(repeating: "\\", count: 40) + "x", String(repeating: "\\", count: 40_000)),
            (String(repeating: "%5C", count: 40) + "x", String(repeating: "%5C", count: 20_000)),
            (String(repeating: "a", count: 63) + "b", String(repeating: "a", count: 40_000)),
        ] {
            #expect(try texts([text]).occur(in: CallResponse(status: 200, body: Array(other.utf8))))
        }
        let long = String(repeating: "a", count: 2_000)
        let texts = try texts([long + "b"])
        // The beginning of a long one is enough.
        #expect(!texts.occur(in: CallResponse(status: 200, body: Array(String(repeating: "a", count: 60).utf8))))
        #expect(texts.occur(in: CallResponse(status: 200, body: Array((long + long).utf8))))
        #expect(texts.occur(in: CallResponse(status: 200, body: Array("\(long)\(long)b".utf8))))
    }

    /// However JSON, a URL or HTML writes letters beyond ASCII; and what is not UTF-8 may be one.
    @Test func foreignLetters() throws {
        let texts = try texts(["Zoë Müller"])
        for body in [
            #"{"a":"Zo\u00eb M\u00FCller"}"#, "Zo%C3%AB+M%c3%bcller", "<p>Zo&euml; M&#252;ller</p>", "Zoë Müller",
        ] {
            #expect(texts.occur(in: CallResponse(status: 200, body: Array(body.utf8))), "\(body)")
            #expect(texts.occur(in: CallResponse(status: 200, headers: [("X-A", body)])), "\(body)")
        }
        #expect(texts.occur(in: CallResponse(status: 200, body: [0x5A, 0x6F, 0xEB])))
        #expect(!texts.occur(in: CallResponse(status: 200, body: Array("Zoë Müll".utf8))))
        #expect(try !self.texts().occur(in: CallResponse(status: 200, body: [0x5A, 0x6F, 0xEB])))
    }

    /// Groups of a text that is too short to be looked for in groups.
    @Test(arguments: [
        ("32 1", "a 321.", true), ("018-27", "01827", true), ("12.345.678-9", "x12.345.6789y", true),
        ("62 78-88", "x627888A", true), ("AB 12-34 C", "xAB1234Cx", true), ("32 1", "a 3211", false),
        ("J Smith Anderson", "name=J+Smith+Anderson", true), ("1234    5678 9012", "1234    5678 9012", true),
    ])
    func groups(text: String, body: String, isFound: Bool) throws {
        #expect(try texts([text]).occur(in: CallResponse(status: 200, body: Array(body.utf8))) == isFound)
    }

    /// Only digits are a part of a number with a point.
    @Test(arguments: [
        ("Ann Li", "1.Ann Li", true), ("Ann Li", "Ann Li.5", true), ("Zoe9", "10:15:30.Zoe9 2", true),
        ("Zoe9", "v1.Zoe9.2", true), ("12-34", "1.12-34", true), ("739", "1.739", false), ("739", "739.5", false),
        ("739", "1. 739", true), ("beef", "0321a3f1-4a32-4c32-beef-a3210a321bcd", false),
        ("Ann Li", "Ann Lippmann", false),
    ])
    func numbersWithAPoint(text: String, body: String, isFound: Bool) throws {
        let texts = try texts([text])
        for body in [body, #"{"a":"\#(body)"}"#] {
            #expect(texts.occur(in: CallResponse(status: 200, body: Array(body.utf8))) == isFound, "\(body)")
        }
        #expect(texts.occur(in: CallResponse(status: 200, headers: [("X-A", body)])) == isFound)
    }

    /// Zeros in front are none of a number.
    @Test func numbersWithZerosInFront() throws {
        let texts = try texts(["021000021"])
        #expect(texts.occur(in: CallResponse(status: 200, body: Array(#"{"a":21000021}"#.utf8))))
        for body in ["\u{FEFF}{\"a\":21000021}", "21000021", "{\"a\":21000021}\0", "\u{1}{\"a\":21000021}"] {
            #expect(texts.occur(in: CallResponse(status: 200, body: Array(body.utf8))), "\(body)")
        }
        #expect(!texts.occur(in: CallResponse(status: 200, body: Array(#"{"a":2100002}"#.utf8))))
    }

    /// A short one that is part of a word does not count; the one behind it does.
    @Test func shortOnes() throws {
        for (body, isFound) in [("1321321", false), ("1321 321", true), ("3213 321", true), ("32132 1321", false)] {
            #expect(try texts().occur(in: CallResponse(status: 200, body: Array(body.utf8))) == isFound, "\(body)")
        }
    }
}
