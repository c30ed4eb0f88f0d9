import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 1: what a good form file says.
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

    @Test(
        arguments: table(
            """
            top | clientRules | pan
            `` | yes | report
            `'clientRules':true,` | yes | report
            `'clientRules':false,'guard':{},` | no | report
            `'guard':{'pan':'refuse'},` | yes | refuse
            `'guard':{'pan':'mask'},` | yes | mask
            `'guard':{'pan':'report'},` | yes | report
            `'guard':{'pan':'off'},` | yes | off
            """))
    func clientRulesAndGuard(_ row: Row) throws {
        let form = try TestForm("{'name':'a'}", top: row["top"]).schema
        #expect(form.clientRules == row.flag("clientRules"))
        #expect(form.guard.pan.rawValue == row["pan"])
    }

    @Test func sessionsAreTheThirdValueOfAccess() throws {
        let access = "'validate':'session','aliases':'session','tokens':'session','send':'session'"
        let form = try TestForm("{'name':'a'}", top: "'access':{\(access)},").schema
        #expect(form.access.validate == .session && form.access.aliases == .session)
        #expect(form.access.tokens == .session && form.access.send == .session)
    }

    /// `docs/reference/vault-api.md` section 4.
    @Test(
        arguments: table(
            """
            ttl | seconds
            `` | -
            `,'ttl':'1s'` | 1
            `,'ttl':'90s'` | 90
            `,'ttl':'15m'` | 900
            `,'ttl':'15min'` | 900
            `,'ttl':'24h'` | 86400
            `,'ttl':'180d'` | 15552000
            `,'ttl':'36500d'` | 3153600000
            """))
    func aliasLifetime(_ row: Row) throws {
        let form = try TestForm("{'name':'a','tokenization':{'format':'UUID'\(row["ttl"])}}")
        let item = try #require(form.evaluate("{'a':'x'}").aliasItems.first)
        #expect(item.ttl == Int(row["seconds"]))
        let copy = try #require(FormSchema.copies(of: [form.schema]).first)
        #expect(copy.fields.first?.tokenization?.ttl == item.ttl)
    }

    /// A rule for the other kind of date has formats of its own: the field's input format is none for it.
    @Test(
        arguments: table(
            """
            field | rule | text | passes
            `'type':'date','formatPattern':'##/####'` | `'rule':'cardExpirationDate','dateFormat':'longYear'` | `11/2026` | yes
            `'type':'date','formatPattern':'##/####'` | `'rule':'cardExpirationDate','dateFormat':'longYear'` | `10/2026` | no
            `'type':'date','formatPattern':'####','inputDateFormat':'yyyymmdd'` | `'rule':'cardExpirationDate'` | `1126` | yes
            `'type':'date','formatPattern':'####','inputDateFormat':'yyyymmdd'` | `'rule':'cardExpirationDate'` | `2611` | no
            `'type':'expDate','formatPattern':'##/##/####'` | `'rule':'dateRange','dateFormat':'ddmmyyyy'` | `31/12/2026` | yes
            `'type':'expDate','formatPattern':'##/##/####'` | `'rule':'dateRange','dateFormat':'ddmmyyyy'` | `12/31/2026` | no
            `'type':'expDate','formatPattern':'##/##/####','inputDateFormat':'longYearThenMonth'` | `'rule':'dateRange'` | `12/31/2026` | yes
            `'type':'expDate','formatPattern':'##/##/####','inputDateFormat':'longYearThenMonth'` | `'rule':'dateRange'` | `31/12/2026` | no
            `'type':'none'` | `'rule':'dateRange'` | `12312026` | yes
            `'type':'none'` | `'rule':'cardExpirationDate'` | `1126` | yes
            """))
    func rulesOfTheOtherKind(_ row: Row) throws {
        let spec = "\(row["field"]),'divider':'','validationRules':[{\(row["rule"])}]"
        #expect(try judge(spec, row["text"]).errors.isEmpty == row.flag("passes"))
    }
}
