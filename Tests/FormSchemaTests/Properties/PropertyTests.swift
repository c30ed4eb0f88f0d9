import JSON
import Testing

@testable import FormSchema

/// What holds for every text, tried on many that a seed makes.
@Suite struct PropertyTests {
    @Test func formattingIsIdempotentWithoutAlphanumericLiterals() throws {
        var generator = SeededGenerator(seed: 1)
        var tried = 0
        for _ in 0..<4000 {
            let pattern = FormatPattern(generator.pattern(alphanumericLiterals: false))
            let once = pattern.shape(generator.text(upTo: 20))
            // A mark that stood alone joins the character that is now before it, and is another character then.
            guard try once.shaped.redacted(last4: "").count == once.formatted.count else { continue }
            let separators = once.formatted.filter { !$0.isAlphanumeric }
            guard once.raw.count + separators.count == once.formatted.count else { continue }
            tried += 1
            let twice = pattern.shape(once.formatted)
            // A literal that stands last is shown while input is unread, of which the second time there is none.
            #expect(once.formatted.hasPrefix(twice.formatted), "\(pattern.text): \(once.formatted)")
            #expect(twice.raw == once.raw)
            #expect(!twice.droppedInput)
            #expect(pattern.shape(twice.formatted).formatted == twice.formatted)
        }
        #expect(tried > 3000)
    }

    @Test func formattedTextFollowsThePattern() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<4000 {
            let pattern = FormatPattern(generator.pattern(alphanumericLiterals: true))
            let text = generator.text(upTo: 20)
            let shaped = pattern.shape(text)
            guard !pattern.isEmpty else {
                #expect(shaped.formatted == text)
                continue
            }
            let emitted = try shaped.shaped.redacted(last4: "")
            #expect(emitted.count <= pattern.symbols.count)
            for ((character, symbol), literal) in zip(zip(emitted, pattern.symbols), pattern.text) {
                #expect(character == (symbol == nil ? literal : "•"))
            }
            #expect(shaped.shaped.text(withDivider: "\u{1F}").count { $0 == "\u{1F}" } == emitted.count { $0 != "•" })
        }
    }

    /// A form with one field of each kind, so that a submission meets everything there is.
    private static let kitchenSink = """
        {'name':'none'},{'name':'card','type':'cardNumber'},{'name':'exp','type':'expDate','inputDateFormat':'shortYear',
        'outputDateFormat':'longYear'},{'name':'date','type':'date','inputDateFormat':'ddmmyyyy',
        'outputDateFormat':'yyyymmdd'},{'name':'cvc','type':'cvc'},{'name':'holder','type':'cardHolderName'},
        {'name':'ssn','type':'ssn'},{'name':'file','type':'file'},{'name':'phone','mask':'(###) ###-####',
        'transform':[{'matcher':'[^0-9]'},{'case':'upper'}],'validation':'^[0-9]+$'},
        {'name':'code','formatPattern':'AA-*#a','divider':'::','maxInputLength':9},
        {'name':'free','transform':[{'matcher':'(.)(.)?','replacement':'$2$1'},{'case':'lower'},
        {'matcher':'','replacement':'-'}]},
        {'name':'exps','type':'expDate','serializers':[{'expDate':{'month':'s.m','year':'s.y'}}]},
        {'name':'email','validationRules':[{'rule':'email'},{'rule':'phone'},{'rule':'abaRoutingNumber'},
        {'rule':'luhnCheck'},{'rule':'dateRange'},{'rule':'cardExpirationDate'},{'rule':'lengthMatch','lengths':[3]}]}
        """

    private static func texts(_ generator: inout SeededGenerator, _ form: FormSchema, upTo length: Int) -> JSONObject {
        var fields = JSONObject()
        for field in form.fields where Bool.random(using: &generator) {
            fields.set(field.name, .string(generator.text(upTo: length)))
        }
        return fields
    }

    /// `validate` calls valid what nothing stops, and where each field must be valid, if only when it is there, nothing else.
    @Test(arguments: ["", "isRequired", "isRequiredValidOnly", "isValidIfPresent"])
    func whatIsValidIsNotRefused(_ flag: String) throws {
        let members = flag.isEmpty ? "" : "'\(flag)':true,"
        let form = try TestForm(Self.kitchenSink.replacing("{'name':", with: "{\(members)'name':")).schema
        var generator = SeededGenerator(seed: 6)
        var valid = 0
        for round in 0..<3_000 {
            var fields = JSONObject()
            // Most rounds try one field: all at once are hardly ever valid.
            if round % 10 == 0 {
                fields = Self.texts(&generator, form, upTo: 6)
            } else {
                fields.set(form.fields[round % form.fields.count].name, .string(generator.text(upTo: 3)))
            }
            var submission = JSONObject()
            submission.set("fields", .object(fields))
            let evaluation = form.evaluate(try Submission(.object(submission), for: form), today: try clock())
            if evaluation.isValid { valid += 1 }
            if evaluation.isValid || flag.hasSuffix("Only") || flag.hasSuffix("Present") {
                #expect(evaluation.isValid == (evaluation.refusal == nil), "\(evaluation.verdict)")
            }
        }
        #expect((valid > 300) == (flag == "isValidIfPresent"))
    }

    @Test func sameInputSameBytesAndNoFieldIsLost() throws {
        let form = try TestForm(Self.kitchenSink, top: "'lenientInput':true,").schema
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<400 {
            var submission = JSONObject()
            submission.set("fields", .object(Self.texts(&generator, form, upTo: 24)))
            let first = form.evaluate(try Submission(.object(submission), for: form), today: try clock())
            let second = form.evaluate(try Submission(.object(submission), for: form), today: try clock())
            #expect(first.verdict == second.verdict)
            #expect(first.rawBody == second.rawBody)
            let body = try #require(JSONValue.parse(first.rawBody).object)
            for (field, result) in zip(form.fields, first.results) where !field.isSerialized {
                #expect(body[field.name]?.string == result.output.text(of: .whole))
            }
            let parts = try #require(body["s"]?.object)
            #expect(parts["m"]?.string != nil && parts["y"]?.string != nil)
        }
    }

    /// What was submitted shows nowhere in the states, but for what `bin` and `last4` may show.
    @Test func statesShowNothingTheyMayNot() throws {
        let form = try TestForm(
            """
            {'name':'a','type':'cardNumber'},{'name':'b','type':'ssn'},{'name':'c','type':'cvc'},{'name':'d'},
            {'name':'e','mask':'##-##'},{'name':'f','formatPattern':'(####)'},{'name':'g','transform':{'case':'upper'}},
            {'name':'h','type':'cardHolderName'},{'name':'i','type':'expDate'}
            """
        ).schema
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<1000 {
            var submission = JSONObject()
            var fields = Self.texts(&generator, form, upTo: 12)
            if Bool.random(using: &generator) { fields.set("a", .string(luhnNumber("4539", length: 16))) }
            if Bool.random(using: &generator) { fields.set("b", .string("219-09-9999")) }
            submission.set("fields", .object(fields))
            let evaluation = form.evaluate(try Submission(.object(submission), for: form), today: try clock())
            for (field, result) in zip(form.fields, evaluation.results) {
                let shown = try result.shaped.redacted(last4: result.last4)
                let literals: String =
                    if case .pattern(let pattern, _) = field.shape { pattern.text } else { " ()-/" }
                let hidden = result.last4.isEmpty ? shown : String(shown.dropLast(4))
                #expect(
                    hidden.allSatisfy { $0 == "•" || (literals.contains($0) && $0 != "#") }, "\(field.name): \(shown)")
                if !result.last4.isEmpty {
                    #expect(result.isValid)
                    #expect(shown.hasSuffix(result.last4))
                    #expect([.cardNumber, .ssn].contains(field.type))
                }
                if !result.isValid { #expect(result.bin.isEmpty && result.last4.isEmpty) }
                #expect(result.bin.count + result.last4.count <= 12)
            }
        }
    }

    /// Nothing traps, and every answer is JSON: long texts of one kind of character, in every field.
    @Test(arguments: ["1", "a", "-", "é", "\u{301}", "👩\u{200D}", "\r\n", "\0", "\u{1F1E9}", "٣", "(", "4539 "])
    func longTexts(_ unit: String) throws {
        let form = try TestForm(Self.kitchenSink).schema
        var fields = JSONObject()
        for field in form.fields { fields.set(field.name, .string(String(repeating: unit, count: 20_000))) }
        var submission = JSONObject()
        submission.set("fields", .object(fields))
        let evaluation = form.evaluate(try Submission(.object(submission), for: form), today: try clock())
        #expect(evaluation.refusal != nil)
        #expect(throws: Never.self) { try JSONValue.parse(Array(evaluation.verdict.utf8)) }
        #expect(throws: Never.self) { try JSONValue.parse(evaluation.rawBody) }
    }

    /// A value that is dropped somewhere is never dropped silently: without the error, output holds every letter and digit.
    @Test func nothingIsLostSilently() throws {
        var generator = SeededGenerator(seed: 5)
        let isKept: (Character) -> Bool = { character in
            character.unicodeScalars.contains { $0.properties.numericType != nil || $0.properties.isAlphabetic }
                && character.isLetterOrNumber
        }
        for _ in 0..<3000 {
            let pattern = FormatPattern(generator.pattern(alphanumericLiterals: false))
            let text = generator.text(upTo: 14)
            let shaped = pattern.shape(text)
            if shaped.droppedInput || pattern.isEmpty { continue }
            #expect(String(text.filter(isKept)) == String(shaped.raw.filter(isKept)), "\(pattern.text): \(text)")
        }
    }

    /// Any value under any key either loads a form that works or is reported.
    @Test func configurationsNeverTrap() throws {
        let values = [
            "null", "true", "-1", "0", "99999999999999999999", "1e400", "''", "'x'", "'('", "[]", "[[]]", "[null]",
            "{}", "{'rule':1}", "'#'", "['#']", "[{'rule':'length','min':9223372036854775807,'max':0}]",
            "'\u{301}'", "[{'pattern':''}]", "{'matcher':'','replacement':'$0$0'}", "9223372036854775807",
        ]
        let keys = [
            "name", "type", "isRequired", "formatPattern", "divider", "maxInputLength", "mask", "transform",
            "validation",
            "validationRules", "inputDateFormat", "outputDateFormat", "serializers", "tokenization", "file", "",
        ]
        for type in FieldType.allCases {
            for key in keys {
                for value in values {
                    let name = key == "name" ? "" : "'name':'n',"
                    let kind = key == "type" ? "" : "'type':'\(type.rawValue)',"
                    let (schema, log) = try TestForm.load("{'form':'f','fields':[{\(name)\(kind)'\(key)':\(value)}]}")
                    #expect((schema == nil) == !log.mistakes.isEmpty)
                    guard let schema, let field = schema.fields.first else { continue }
                    for text in ["", "12", "a-\u{301}👩", "4539526018159083"] {
                        var fields = JSONObject()
                        fields.set(field.name, .string(text))
                        var submission = JSONObject()
                        submission.set("fields", .object(fields))
                        let evaluation = schema.evaluate(
                            try Submission(.object(submission), for: schema), today: try clock())
                        #expect(throws: Never.self) { try JSONValue.parse(Array(evaluation.verdict.utf8)) }
                    }
                }
            }
        }
    }
}
