import Testing

@testable import FormSchema

/// `fields.md` section 1: what a good form file says.
@Suite struct FormLoadingTests {
    @Test func exampleOfTheReference() throws {
        let (schema, log) = try TestForm.load(
            """
            {'form':'checkout','timeZone':'America/New_York','route':'orders',
            'cardBrands':{'custom':[{'name':'StoreCard','prefixes':['9100-9149','977'],'lengths':[16],
            'checksum':'none'}]},
            'fields':[
            {'name':'card.pan','type':'cardNumber','isRequired':true,'isRequiredValidOnly':true,'tokenization':{}},
            {'name':'card.exp','type':'expDate','isRequiredValidOnly':true,'inputDateFormat':'shortYear',
            'outputDateFormat':'longYear','serializers':[{'expDate':{'month':'card.mm','year':'card.yyyy'}}]},
            {'name':'card.code','type':'cvc','isRequiredValidOnly':true,'tokenization':{'format':'UUID'}},
            {'name':'owner','type':'cardHolderName','isValidIfPresent':true,
            'tokenization':{'classifiers':['pii']}}]}
            """)
        #expect(log.mistakes.isEmpty && log.warnings.isEmpty)
        let form = try #require(schema)
        #expect(form.form == "checkout")
        #expect(form.timeZone == "America/New_York")
        #expect(form.route == "orders")
        let fields = "{'card.pan':'9770 0000 0000 0001','card.exp':'0931','card.code':'321','owner':'Ann Li'}"
        let submission = try Submission(json("{'fields':\(fields)}"), for: form)
        let evaluation = form.evaluate(submission, today: try clock())
        #expect(evaluation.refusal == nil)
        #expect(evaluation.isValid && evaluation.isComplete)
        #expect(try evaluation.result("card.pan").brand?.id == "custom:StoreCard")
        #expect(
            try evaluation.redacted() == """
                {"card":{"pan":"<card.pan>","mm":"09","yyyy":"2031","code":"<card.code>"},"owner":"<owner>"}
                """)
        #expect(evaluation.aliasItems.map(\.classifiers) == [[], [], ["pii"]])
    }

    @Test func defaults() throws {
        let form = try TestForm("{'name':'a'}").schema
        #expect(form.title == nil)
        #expect(form.timeZone == "UTC")
        #expect(form.route == nil)
        #expect(form.mappingPolicy == .nestedJSON)
        #expect(!form.lenientInput && !form.omitEmptyFields)
        #expect(form.cardBrands.catalogue == .vgs)
        #expect(form.allowedOrigins == [])
        #expect(form.access.aliases == .credential)
        #expect([form.access.validate, form.access.tokens, form.access.send] == [.public, .public, .public])
        #expect(form.fields.map(\.type) == [.none])
    }

    @Test func everythingSet() throws {
        let id = String(repeating: "aZ0_-", count: 12) + "abcd"
        let (schema, log) = try TestForm.load(
            """
            {'form':'\(id)','title':'T ü','timeZone':'Europe/Berlin','fieldNameMappingPolicy':'flatJSON','route':'vgs',
            'access':{'validate':'credential','aliases':'public','tokens':'credential','send':'credential'},
            'lenientInput':true,'omitEmptyFields':true,'cardBrands':{},'fields':[{'name':'a'}]}
            """)
        let form = try #require(schema, "\(log.mistakes)")
        #expect(form.form == id)
        #expect(form.title == "T ü")
        #expect(form.timeZone == "Europe/Berlin")
        #expect(form.access.aliases == .public)
        #expect(
            [form.access.validate, form.access.tokens, form.access.send] == [.credential, .credential, .credential])
        #expect(form.mappingPolicy == .flatJSON)
        #expect(form.lenientInput && form.omitEmptyFields)
        let (long, _) = try TestForm.load("{'form':'\(id)x','fields':[{'name':'a'}]}")
        #expect(long == nil, "65 characters")
    }

    /// A rule for the other kind of date does not fit: it could not read the field's own format.
    @Test(
        arguments: [
            ("date", "cardExpirationDate", false), ("date", "dateRange", true), ("expDate", "dateRange", false),
            ("expDate", "cardExpirationDate", true), ("none", "dateRange", true), ("none", "cardExpirationDate", true),
        ])
    func rulesOfTheOtherKind(_ type: String, _ rule: String, _ loads: Bool) throws {
        let (form, log) = try TestForm.load(
            "{'form':'f','fields':[{'name':'a','type':'\(type)','validationRules':[{'rule':'\(rule)'}]}]}")
        #expect((form != nil) == loads)
        #expect(log.mistakes.map(\.path) == (loads ? [] : ["fields[0].validationRules[0].rule"]))
    }
}
