import JSON
import Testing

@testable import FormSchema

/// `docs/reference/browser.md` section 5: what a description tells clients, and that they come to the same verdict by it.
@Suite struct ClientSchemaTests {
    private static let client: LoadContext = {
        let server = LoadContext.testing
        return LoadContext(
            aliasFormats: server.aliasFormats, routes: nil, maximumAliasItems: .max, bodyLimit: nil,
            patternMatchLimit: .max,
            timeZoneExists: { _ in true }, isClient: true)
    }()

    /// The form as a client loads it from the description of `form`.
    private static func received(_ form: FormSchema) throws -> FormSchema {
        let text = written { form.writeDescription(into: &$0) }
        let schema = try #require(JSONValue.parse(Array(text.utf8)).object?["schema"])
        let log = MistakeLog(file: nil)
        return try #require(FormSchema.load(Document(file: nil, json: schema), in: client, log: log), "\(log.mistakes)")
    }

    @Test func holdsNothingOfTheServers() throws {
        let form = try TestForm(
            "{'name':'a.b','tokenization':{'format':'FPE_T_FOUR','classifiers':['secret-class'],'ttl':'1d'}},{'name':'a.c'}",
            top: """
                'route':'orders','access':{'send':'credential'},'allowedOrigins':['https://shop.example'],'timeZone':'UTC',\
                'guard':{'pan':'mask'},'title':'T','omitEmptyFields':true,
                """
        ).schema
        let schema = String(decoding: form.client.json, as: UTF8.self)
        for hidden in [
            "orders", "access", "shop.example", "guard", "secret-class", "ttl", "route", "omitEmpty", "storage",
        ] {
            #expect(!schema.contains(hidden), "\(hidden)")
        }
        #expect(
            schema == """
                {"form":"f","fieldNameMappingPolicy":"flatJSON","fields":[{"name":"a.b","tokenization":{"format":"FPE_T_FOUR"}},\
                {"name":"a.c"}]}
                """)
    }

    @Test func namesPatternsThatAreNotSent() throws {
        let form = try TestForm(
            """
            {'name':'a','validationRules':[{'rule':'pattern','pattern':'[0-9]+'},{'rule':'pattern','pattern':'(a+)+','error':'E'}]},\
            {'name':'b','mask':['-',{'pattern':'(?i)x'}],'transform':[{'matcher':'x*'}],'validation':'(?<=a)b'}
            """
        ).schema
        #expect(
            form.serverOnlyPatterns == [
                "fields[0].validationRules[1].pattern", "fields[1].mask[1].pattern", "fields[1].transform[0].matcher",
                "fields[1].validation",
            ])
        let schema = String(decoding: form.client.json, as: UTF8.self)
        #expect(schema.contains(#"{"rule":"pattern","isServerOnly":true,"error":"E"}"#))
        #expect(schema.contains(#"{"rule":"pattern","pattern":"[0-9]+"}"#))
    }

    @Test func whatIsNotSentIsUndecided() throws {
        let form = try TestForm(
            """
            {'name':'a','isRequiredValidOnly':true,'validationRules':[{'rule':'length','max':2},{'rule':'pattern','pattern':'(a+)+'}]},\
            {'name':'b','validation':'(?<=a)b'}
            """)
        let evaluation = try Self.received(form.schema).evaluate(
            Submission(json("{'fields':{'a':'xyz','b':'q'}}"), for: Self.received(form.schema)), today: clock())
        let field = try evaluation.result("a")
        #expect(field.errors == ["LENGTH_VALIDATION_ERROR"])
        #expect(field.undecided == ["PATTERN_VALIDATION_ERROR"])
        #expect(try evaluation.result("b").isValid)
        #expect(evaluation.verdict.contains(#""validationErrors":[],"undecided":["VALIDATION_ERROR"]"#))
    }

    /// Shape and flags go out, rules and patterns don't.
    @Test func rulesCanBeWithheld() throws {
        let form = try TestForm(
            """
            {'name':'a','isRequired':true,'formatPattern':'##-##','validationRules':[{'rule':'pattern','pattern':'secret1'}]},\
            {'name':'b','mask':'##','transform':{'matcher':'secret2'},'validation':'secret3'},{'name':'c','type':'ssn',\
            'validation':'secret4'},{'name':'d','type':'cvc','validationRules':[{'rule':'luhnCheck'}]}
            """, top: "'clientRules':false,"
        ).schema
        let schema = String(decoding: form.client.json, as: UTF8.self)
        for hidden in ["secret", "validationRules", "luhnCheck", "transform", "\"validation\""] {
            #expect(!schema.contains(hidden), "\(hidden)")
        }
        #expect(form.serverOnlyPatterns.isEmpty)
        let received = try Self.received(form)
        let evaluation = received.evaluate(
            try Submission(json("{'fields':{'a':'1234','b':'12','c':'x','d':'1234'}}"), for: received),
            today: try clock())
        for name in ["a", "b", "c", "d"] {
            #expect(try evaluation.result(name).undecided == ["VALIDATION_ERROR"], "\(name)")
            #expect(try evaluation.result(name).isValid)
        }
        #expect(try evaluation.result("a").formatted == "12-34")
        #expect(try evaluation.result("c").formatted == "x")
    }

    /// The same verdict by the form and by its description.
    @Test(arguments: [
        "{'name':'n','type':'cardNumber','tokenization':{}},{'name':'c','type':'cvc'}",
        "{'name':'n','type':'ssn','formatPattern':''}",
        "{'name':'n','type':'expDate','inputDateFormat':'longYear','outputDateFormat':'shortYear','serializers':[{'expDate':{'month':'m','year':'y'}}]}",
        "{'name':'n','mask':'##-cC','transform':[{'matcher':'-'},{'case':'upper'}],'validation':'^[0-9]'}",
        "{'name':'n','validationRules':[{'rule':'length','min':9223372036854775807},{'rule':'pattern','pattern':'\\\\d+'}]}",
        "{'name':'n','type':'file','isRequired':true,'file':{'maxBytes':1000000000000,'contentTypes':['text/plain']}}",
    ])
    func verdictsAgree(_ fields: String) throws {
        let form = try TestForm(fields, top: "'cardBrands':{'valid':['amex','visa']},").schema
        let received = try Self.received(form)
        for text in ["", "4111 1111 1111 1111", "219-09-9999", "12/2030", "12-ab", "7", "é", "aGVsbG8="] {
            let submission = try json("{'fields':{'n':'\(text)'}}")
            let own = form.evaluate(try Submission(submission, for: form), today: try clock()).verdict
            #expect(received.evaluate(try Submission(submission, for: received), today: try clock()).verdict == own)
        }
    }

    /// With the alias fallback every value is accepted, and the format must not be told.
    @Test func formatsThatAcceptEverythingAreTheSame() throws {
        let form = try TestForm("{'name':'a','tokenization':{'format':'VGS_FIXED_LEN_GENERIC'}}").schema
        #expect(String(decoding: form.client.json, as: UTF8.self).contains(#""format":"UUID""#))
    }
}
