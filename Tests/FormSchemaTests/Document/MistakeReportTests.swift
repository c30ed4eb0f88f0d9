import Testing

@testable import FormSchema

/// How mistakes are told: all at once, each with its place and in words that help.
@Suite struct MistakeReportTests {
    /// All mistakes of a file at once, in the reference's format, with the line where the parser has one.
    @Test func allAreReportedTogether() throws {
        let (_, log) = try TestForm.load(
            """
            {'form':'f','tittle':'x','fields':[{'name':'a','formatPatern':'##'},{'name':'a','type':'ssnn'},
            {'type':'cvc','tokenization':{'storage':'PERSISTENT','format':'UID'}},
            {'name':'z','validationRules':[{'rule':'pattern','pattern':'('},{'rule':'lenght'}]},
            {'type':'cvv','mask':'','tokenization':{'format':'X'},'validationRules':[{'rule':'x'}]},
            {'type':'expDate','serializers':[{'date':{}},{'expDate':{'month':''}}],'maxInputLength':-1}]}
            """)
        #expect(
            Set(log.mistakes.map(\.path)) == [
                "tittle", "fields[0].formatPatern", "fields[1].name", "fields[1].type", "fields[2].name",
                "fields[2].tokenization.storage", "fields[2].tokenization.format",
                "fields[3].validationRules[0].pattern", "fields[3].validationRules[1].rule",
                "fields[4].type", "fields[4].name", "fields[4].mask", "fields[4].tokenization.format",
                "fields[4].validationRules[0].rule", "fields[5].name", "fields[5].serializers[0].date",
                "fields[5].serializers[1].expDate.month", "fields[5].serializers[1].expDate.year",
                "fields[5].maxInputLength",
            ])
        let lines = log.mistakes.map(\.description)
        #expect(lines.contains("form.yaml: fields[0].formatPatern: unknown key (formatPattern?)"))
        #expect(lines.contains { $0.hasPrefix("form.yaml: tittle: unknown key (title?") })
    }

    /// A key, or the name of a file, is shown in one line, and changes nothing on the terminal.
    @Test func namesAreShownAsTheyAre() {
        let mistake = Mistake(
            file: "a\nb.yaml", line: 1, path: "x\u{1B}[2Jy\u{202E}z", message: "unknown key\u{2028}(é?)")
        #expect(mistake.description == #"a\u{a}b.yaml:1: x\u{1b}[2Jy\u{202e}z: unknown key\u{2028}(é?)"#)
    }

    /// Two rules take `dateFormat`; of a rule that is unknown itself, the message names each key that some rule takes.
    @Test func theKeysOfAllRulesAreNamedOnce() throws {
        let (_, log) = try TestForm.load(
            "{'form':'f','fields':[{'name':'a','validationRules':[{'rule':'x','sheep':1}]}]}")
        let message = try #require(log.mistakes.first { $0.path.hasSuffix("sheep") }).message
        #expect(
            message
                == "unknown key (allowed: rule, error, pattern, min, max, lengths, validateUnknownCardBrand, dateFormat, start, end)"
        )
    }

    @Test func linesComeFromTheParser() {
        let key = Document.Entry(key: "formatPatern", line: 14, node: Document.Node(.text("##"), line: 14))
        let name = Document.Entry(key: "name", line: 13, node: Document.Node(.text("a"), line: 13))
        let fields = Document.Node(.list([Document.Node(.map([name, key]), line: 13)]), line: 12)
        let root = Document.Node(
            .map([
                Document.Entry(key: "form", line: 1, node: Document.Node(.text("f"), line: 1)),
                Document.Entry(key: "fields", line: 11, node: fields),
            ]), line: 1)
        let log = MistakeLog(file: "forms/checkout.yaml")
        let document = Document(file: "forms/checkout.yaml", root: root)
        #expect(FormSchema.load(document, in: .testing, log: log) == nil)
        #expect(
            log.mistakes.map(\.description) == [
                "forms/checkout.yaml:14: fields[0].formatPatern: unknown key (formatPattern?)"
            ])
    }

    /// What begins with # is a comment in YAML and nothing else is said of it; JSON has no comments.
    @Test(
        arguments: [
            (#"'mask':null"#, 3, "expected text or a list, found nothing; text that begins with # must be in quotes"),
            (#"'mask':null"#, nil, "expected text or a list, found nothing"),
            (#"'mask':5"#, 3, "expected text or a list, found a number; put it in quotes"),
            (#"'mask':{}"#, 3, "expected text or a list, found a map"),
            (#"'formatPattern':null"#, 3, "expected text, found nothing; text that begins with # must be in quotes"),
            (#"'formatPattern':null"#, nil, "expected text, found nothing"),
            (#"'divider':1"#, nil, "expected text, found a number; put it in quotes"),
        ] as [(String, Int?, String)])
    func textThatIsNone(_ member: String, _ line: Int?, _ message: String) throws {
        let field = Document.Node(json: try json("{'name':'a',\(member)}"))
        guard case .map(let entries) = field.content else { return #expect(Bool(false)) }
        let lined = entries.map {
            Document.Entry(key: $0.key, line: line, node: Document.Node($0.node.content, line: line))
        }
        let root = Document.Node(
            .map([
                Document.Entry(key: "form", node: Document.Node(.text("f"))),
                Document.Entry(key: "fields", node: Document.Node(.list([Document.Node(.map(lined))]))),
            ]))
        let log = MistakeLog(file: nil)
        #expect(FormSchema.load(Document(file: nil, root: root), in: .testing, log: log) == nil)
        #expect(log.mistakes.map(\.message) == [message])
    }
}
