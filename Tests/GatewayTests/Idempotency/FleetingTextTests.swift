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
          - {name: note}
        """

    private func texts(_ aliases: [String] = []) throws -> FleetingTexts {
        let log = MistakeLog(file: nil)
        let root = try #require(YAMLDocument.root(of: Self.form, log: log))
        let context = FormContext(
            dependencies: .gateway, routes: [:], aliasFallback: .none, maxItems: 3, bodyLimit: nil)
        let form = try #require(
            FormSchema.load(Document(file: nil, root: root), in: context.loadContext, log: log), "\(log.mistakes)")
        let body = #"{"fields":{"code":"321","pan":"4539 6001 6659 4134","note":"open"}}"#
        let text = try JSONText(parsing: Array(body.utf8))
        let today = try #require(CalendarDay(year: 2026, month: 11, day: 22))
        let evaluation = form.evaluate(try Submission(text, for: form), today: today)
        return FleetingTexts(of: text, form, evaluation.aliasItems, aliases)
    }

    @Test(arguments: [
        #"{"cvc":"321"}"#, #"{"cvc":321}"#, "321", "a=1&cvc=321&b=2", #"{"a":"\u00332\u0031"}"#, "cvc=%3321",
        #"{"n":"4539600166594134"}"#, "card 4539 6001 6659 4134 declined", "4539-6001-6659-4134", "4539+6001+6659+4134",
        #"{"\u0034539600166594134":1}"#, "x4539600166594134x", "alias tok_part!",
        "CVC321", "321x", #"{"a":3.21e2}"#, #"{"a":321.0,"b":1}"#, #"{"a":"%33\u00321"}"#,
    ])
    func found(body: String) throws {
        let response = CallResponse(status: 200, body: Array(body.utf8))
        #expect(try texts(["tok_part"]).occur(in: response))
    }

    @Test(arguments: [
        "", "{}", "1321", "3210", "a321b", "open", "32 1 ", "4539600166594135", "tok_other",
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
        let long = String(repeating: "a", count: 2_000)
        let texts = try texts([long + "b"])
        #expect(!texts.occur(in: CallResponse(status: 200, body: Array((long + long).utf8))))
        #expect(texts.occur(in: CallResponse(status: 200, body: Array("\(long)\(long)b".utf8))))
    }

    /// A short one that is part of a word does not count; the one behind it does.
    @Test func shortOnes() throws {
        for (body, isFound) in [("1321321", false), ("1321 321", true), ("3213 321", true), ("32132 1321", false)] {
            #expect(try texts().occur(in: CallResponse(status: 200, body: Array(body.utf8))) == isFound, "\(body)")
        }
    }
}
