import FormSchema
import Testing

@testable import Configuration

@Suite struct YAMLDocumentTests {
    /// YAML 1.2.2, section 10.3.2.
    @Test(arguments: [
        ("", "null"), ("~", "null"), ("null", "null"), ("NULL", "null"), ("true", "bool true"), ("False", "bool false"),
        ("yes", "text yes"), ("on", "text on"), ("0", "number 0"), ("-12", "number -12"), ("+7", "number +7"),
        ("0x1F", "number 31"), ("0o17", "number 15"), ("1.10", "number 1.10"), (".5", "number .5"), ("1.", "number 1."),
        ("1e400", "number 1e400"), (".inf", "number .inf"), ("-.INF", "number -.INF"), (".nan", "number .nan"),
        ("1_000", "text 1_000"), ("2026-11-21", "text 2026-11-21"), ("1e", "text 1e"), (".", "text ."), ("-", "text -"),
        ("0x", "text 0x"), ("0xG", "text 0xG"), ("127.0.0.1", "text 127.0.0.1"), ("e5", "text e5"),
    ])
    func plainScalars(text: String, meaning: String) {
        let shown =
            switch YAMLScalar.content(ofPlain: text) {
            case .null: "null"
            case .bool(let value): "bool \(value)"
            case .number(let value): "number \(value)"
            case .text(let value): "text \(value)"
            default: "?"
            }
        #expect(shown == meaning)
    }

    @Test func quotedAndTaggedScalarsAreText() throws {
        let text = "- \"1\"\n- 'true'\n- !!str 5\n- |\n  7\n"
        let root = try #require(YAMLDocument.root(of: text, log: MistakeLog(file: nil)))
        guard case .list(let elements) = root.content else { return #expect(Bool(false)) }
        for element in elements {
            guard case .text = element.content else { return #expect(Bool(false)) }
        }
    }

    @Test func linesAreThoseOfKeysAndValues() throws {
        let root = try #require(YAMLDocument.root(of: "a: 1\n\nb:\n  - x\n  - y: z\n", log: MistakeLog(file: nil)))
        guard case .map(let entries) = root.content, case .list(let list) = entries[1].node.content else {
            return #expect(Bool(false))
        }
        #expect(entries.map(\.line) == [1, 3])
        #expect(list.map(\.line) == [4, 5])
    }

    @Test(arguments: [
        ("a: [1", 2), ("a: b: c", 1), ("\ta: 1", 1), ("a: *x", 1), ("--- 1\n--- 2", 2),
        ("? [1]\n: 2", 1), ("a: !!binary x", 1),
    ])
    func mistakesHaveALine(text: String, line: Int) {
        let log = MistakeLog(file: "f.yaml")
        _ = YAMLDocument.root(of: text, log: log)
        #expect(log.mistakes.count == 1)
        #expect(log.mistakes.first?.line == line)
    }

    /// A mask without quotes ends where its second part begins a comment, and so does the line.
    @Test(arguments: [
        ("- {mask: (###) ###-####, name: a}\n- {name: b}\n", true), ("- {mask: ## ##}\n", true),
        ("- {name: [}\n", false), ("## a heading\n- {name: [}\n", false),
    ])
    func aMaskWithoutQuotesGetsAHint(text: String, hinted: Bool) throws {
        let log = MistakeLog(file: "f.yaml")
        _ = YAMLDocument.root(of: text, log: log)
        let message = try #require(log.mistakes.first).message
        #expect(message.hasSuffix("; text with # in it must be in quotes") == hinted, "\(message)")
    }

    /// A key that is given twice is read like any other, so that whoever reads the tree says so, with all else.
    @Test(arguments: [
        ("a: 1\na: 2", "a1 a2"), ("b: 1\na: 1\nb: 2\na: 2\n", "b1 a2 b3 a4"), ("{a: 1, a: 2}", "a1 a1"),
        ("\"a\": 1\n'a': 2\na: 3\n", "a1 a2 a3"), ("# é\r\né: 1\r\n\r\né: 2\r\n", "é2 é4"),
        ("? a\n: 1\n? a\n: 2", "a1 a3"),
        ("a: 1\na: 2\na: 3\na: 4\na: 5\n", "a1 a2 a3 a4 a5"), ("\u{F8FF}xa: 1", "\u{F8FF}xa1"),
        ("a: &x 1\na: *x", "a1 a2"), ("a: 1\n<<: {b: 1}\n<<: {c: 1}\n", "a1"),
    ])
    func repeatedKeysAreKept(text: String, keys: String) throws {
        let root = try #require(YAMLDocument.root(of: text, log: MistakeLog(file: nil)))
        guard case .map(let entries) = root.content else { return #expect(Bool(false)) }
        #expect(entries.map { "\($0.key)\($0.line ?? 0)" }.joined(separator: " ") == keys)
    }

    /// Those that cannot be told apart are still refused.
    @Test(arguments: ["[1]: 1\n[1]: 2", "&x a: 1\n*x : 2\n", "!!str a: 1\n!!str a: 2"])
    func repeatedKeysOfOtherKinds(text: String) {
        let log = MistakeLog(file: nil)
        #expect(YAMLDocument.root(of: text, log: log) == nil)
        #expect(log.mistakes.count == 1)
    }

    @Test func mergeKeysAreNamed() {
        let log = MistakeLog(file: "f.yaml")
        _ = YAMLDocument.root(of: "x: &x {a: 1}\ny:\n  <<: *x\n  \"<<\": 1\n", log: log)
        #expect(log.mistakes.map(\.description) == ["f.yaml:3: y.<<: merge keys are not supported"])
    }

    @Test func aliasesMayNotUnfoldWithoutEnd() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let list = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(list)]\n"
        }
        let log = MistakeLog(file: nil)
        #expect(YAMLDocument.root(of: text, log: log) == nil)
        #expect(log.mistakes.map(\.message) == ["more than 100000 values"])
    }

    /// Each key is hashed with all that it unfolds to: this would take years.
    @Test(arguments: [("? *a9\n: 1\n", 11), ("*a9 : 1\n", 11), ("{*a9 : 1}\n", 11), ("? [*a9]\n: 1\n", 11)])
    func aKeyMayNotUnfoldWithoutEnd(key: String, line: Int) {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let list = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(list)]\n"
        }
        let log = MistakeLog(file: nil)
        let isFlow = key.hasPrefix("{")
        #expect(YAMLDocument.root(of: text + (isFlow ? "b: " : "") + key, log: log) == nil)
        #expect(log.mistakes.map(\.line) == [line])
        #expect(log.mistakes.map(\.message) == ["a key must be text"])
    }

    @Test func anAliasOfATextMayBeAKey() {
        let log = MistakeLog(file: nil)
        let root = YAMLDocument.root(of: "a: &a name\n*a : 1\n", log: log)
        guard case .map(let entries)? = root?.content else { return #expect(Bool(false)) }
        #expect(entries.map(\.key) == ["a", "name"] && log.mistakes.isEmpty)
    }

    @Test func nestingHasALimit() {
        let log = MistakeLog(file: nil)
        let text = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(YAMLDocument.root(of: text, log: log) == nil)
        #expect(log.mistakes.map(\.message) == ["nested deeper than 64"])
    }
}
