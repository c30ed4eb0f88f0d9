import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 6: every rule that can be written out.
@Suite struct RuleTests {
    @Test(
        arguments: table(
            #"""
            rule | text | errors
            `'rule':'pattern','pattern':'[0-9]{3}'` | `123` | ``
            `'rule':'pattern','pattern':'[0-9]{3}'` | `1234` | PATTERN
            `'rule':'pattern','pattern':'[0-9]{3}'` | `x123` | PATTERN
            `'rule':'pattern','pattern':'(?=a)(?:b1|[a-z]a-b*?)?a'` | `a` | ``
            `'rule':'pattern','pattern':'[0-9]{3}'` | `` | PATTERN
            `'rule':'pattern','pattern':'a|ab'` | `ab` | ``
            `'rule':'pattern','pattern':'a|ab'` | `abc` | PATTERN
            `'rule':'pattern','pattern':''` | `` | ``
            `'rule':'pattern','pattern':''` | `a` | PATTERN
            `'rule':'pattern','pattern':'^a$'` | `a` | ``
            `'rule':'pattern','pattern':'abc'` | `ABC` | PATTERN
            `'rule':'pattern','pattern':'(?i)abc'` | `ABC` | ``
            `'rule':'pattern','pattern':'\\d+'` | `12` | ``
            `'rule':'pattern','pattern':'\\d+'` | `٣` | PATTERN
            `'rule':'pattern','pattern':'\\w+'` | `é` | PATTERN
            `'rule':'pattern','pattern':'\\w+'` | `a_1` | ``
            `'rule':'pattern','pattern':'a\\sb'` | `a b` | ``
            `'rule':'pattern','pattern':'a\\sb'` | `a b` | PATTERN
            `'rule':'pattern','pattern':'\\p{L}+'` | `été` | ``
            `'rule':'pattern','pattern':'.'` | `😀` | ``
            `'rule':'pattern','pattern':'(a+)+'` | `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab` | PATTERN
            `'rule':'pattern','pattern':'x','error':'NOT_X'` | `y` | =NOT_X
            `'rule':'length'` | `` | ``
            `'rule':'length'` | `anything` | ``
            `'rule':'length','min':2` | `a` | LENGTH
            `'rule':'length','min':2` | `ab` | ``
            `'rule':'length','max':2` | `abc` | LENGTH
            `'rule':'length','max':2` | `ab` | ``
            `'rule':'length','max':0` | `` | ``
            `'rule':'length','max':0` | `a` | LENGTH
            `'rule':'length','min':1,'max':1` | `👨‍👩‍👧` | ``
            `'rule':'length','min':1,'max':1` | `é` | ``
            `'rule':'length','min':2,'max':3,'error':'L'` | `a` | =L
            `'rule':'length','min':9223372036854775807` | `a` | LENGTH
            `'rule':'lengthMatch','lengths':[3,5]` | `123` | ``
            `'rule':'lengthMatch','lengths':[3,5]` | `1234` | LENGTH_RANGE_MATCH
            `'rule':'lengthMatch','lengths':[3,5]` | `12345` | ``
            `'rule':'lengthMatch','lengths':[0]` | `` | ``
            `'rule':'lengthMatch','lengths':[1]` | `ñ` | ``
            `'rule':'luhnCheck'` | `79927398713` | ``
            `'rule':'luhnCheck'` | `79927398710` | LUHN_ALGORITHM_CHECK
            `'rule':'luhnCheck'` | `18` | LUHN_ALGORITHM_CHECK
            `'rule':'luhnCheck'` | `7992 7398 713` | LUHN_ALGORITHM_CHECK
            `'rule':'luhnCheck'` | `` | LUHN_ALGORITHM_CHECK
            `'rule':'personName'` | `Ann Li` | ``
            `'rule':'personName'` | `Li` | ``
            `'rule':'personName'` | `L` | PERSON_NAME
            `'rule':'personName'` | `` | PERSON_NAME
            `'rule':'personName'` | `L L` | ``
            `'rule':'personName'` | `Zoë` | ``
            `'rule':'personName'` | `李小龙` | ``
            `'rule':'personName'` | `é` | PERSON_NAME
            `'rule':'personName'` | `é` | PERSON_NAME
            `'rule':'personName'` | `éa` | ``
            `'rule':'personName'` | `Наталья` | ``
            `'rule':'personName'` | `अनिता` | ``
            `'rule':'personName'` | `علی‌رضا` | ``
            `'rule':'personName'` | `O'Brien` | ``
            `'rule':'personName'` | `O’Brien` | ``
            `'rule':'personName'` | `Jean-Luc, King` | ``
            `'rule':'personName'` | `J. R. Tolkien` | ``
            `'rule':'personName'` | `Sammy Davis Jr.` | ``
            `'rule':'personName'` | `Davis, Jr.` | ``
            `'rule':'personName'` | `Davis ..` | PERSON_NAME
            `'rule':'personName'` | `Davis .` | PERSON_NAME
            `'rule':'personName'` | `A.` | PERSON_NAME
            `'rule':'personName'` | `Avel·la` | ``
            `'rule':'personName'` | `Ann1` | PERSON_NAME
            `'rule':'personName'` | `Ann٣` | PERSON_NAME
            `'rule':'personName'` | `Ann😀Li` | PERSON_NAME
            `'rule':'personName'` | `Ann🏻` | PERSON_NAME
            `'rule':'personName'` | `Ann_Li` | PERSON_NAME
            `'rule':'personName'` | `--` | PERSON_NAME
            `'rule':'personName'` | ` Ann` | PERSON_NAME
            `'rule':'personName'` | `Ann ` | PERSON_NAME
            `'rule':'personName'` | `Ann Li` | PERSON_NAME
            `'rule':'iban'` | `DE89370400440532013000` | ``
            `'rule':'iban'` | `DE89 3704 0044 0532 0130 00` | ``
            `'rule':'iban'` | `GB82WEST12345698765432` | ``
            `'rule':'iban'` | `FR1420041010050500013M02606` | ``
            `'rule':'iban'` | `NO9386011117947` | ``
            `'rule':'iban'` | `LC55HEMM000100010012001200023015` | ``
            `'rule':'iban'` | `BI4210000100010000332045181` | ``
            `'rule':'iban'` | `SC18SSCB11010000000000001497USD` | ``
            `'rule':'iban'` | `HN88CABF00000000000250005469` | ``
            `'rule':'iban'` | `YE15CBYE0001018861234567891234` | ``
            `'rule':'iban'` | `BR1800360305000010009795493C1` | ``
            `'rule':'iban'` | `MT84MALT011000012345MTLCAST001S` | ``
            `'rule':'iban'` | `DE89370400440532013001` | IBAN
            `'rule':'iban'` | `DE5137040044053201300` | IBAN
            `'rule':'iban'` | `DE813704004405320130000` | IBAN
            `'rule':'iban'` | `DE02370400440000000024` | ``
            `'rule':'iban'` | `DE99370400440000000024` | IBAN
            `'rule':'iban'` | `DE97370400440000000060` | ``
            `'rule':'iban'` | `DE00370400440000000060` | IBAN
            `'rule':'iban'` | `DE98370400440000000042` | ``
            `'rule':'iban'` | `DE01370400440000000042` | IBAN
            `'rule':'iban'` | `DE8937040044053201300` | IBAN
            `'rule':'iban'` | `DE893704004405320130000` | IBAN
            `'rule':'iban'` | `de89370400440532013000` | IBAN
            `'rule':'iban'` | `GB82west12345698765432` | IBAN
            `'rule':'iban'` | `DE89-3704-0044-0532-0130-00` | IBAN
            `'rule':'iban'` | `US89370400440532013000` | IBAN
            `'rule':'iban'` | `ZZ89370400440532013000` | IBAN
            `'rule':'iban'` | `DE` | IBAN
            `'rule':'iban'` | `` | IBAN
            `'rule':'iban'` | `DE8A370400440532013000` | IBAN
            `'rule':'iban','error':'I'` | `x` | =I
            `'rule':'abaRoutingNumber'` | `021000021` | ``
            `'rule':'abaRoutingNumber'` | `011401533` | ``
            `'rule':'abaRoutingNumber'` | `091000019` | ``
            `'rule':'abaRoutingNumber'` | `021000022` | ABA_ROUTING_NUMBER
            `'rule':'abaRoutingNumber'` | `000000000` | ABA_ROUTING_NUMBER
            `'rule':'abaRoutingNumber'` | `02100002` | ABA_ROUTING_NUMBER
            `'rule':'abaRoutingNumber'` | `0210000210` | ABA_ROUTING_NUMBER
            `'rule':'abaRoutingNumber'` | `02100002x` | ABA_ROUTING_NUMBER
            `'rule':'abaRoutingNumber'` | `021-00002` | ABA_ROUTING_NUMBER
            `'rule':'abaRoutingNumber'` | `٠٢١٠٠٠٠٢١` | ABA_ROUTING_NUMBER
            `'rule':'abaRoutingNumber'` | `` | ABA_ROUTING_NUMBER
            `'rule':'email'` | `ana.li+1@mail.shop.example` | ``
            `'rule':'email'` | `ana@shop` | EMAIL
            `'rule':'email'` | `ana@shop.e` | EMAIL
            `'rule':'email'` | `ana@@shop.example` | EMAIL
            `'rule':'email'` | `ana li@shop.example` | EMAIL
            `'rule':'email'` | `ana@shop.example` | ``
            `'rule':'email'` | `a@b.cd` | ``
            `'rule':'email'` | `.@-.ab` | ``
            `'rule':'email'` | `a..b@c..de` | ``
            `'rule':'email'` | `a_%+-.Z9@A-9.Ab` | ``
            `'rule':'email'` | `a@.cd` | EMAIL
            `'rule':'email'` | `a@..cd` | ``
            `'rule':'email'` | `@b.cd` | EMAIL
            `'rule':'email'` | `a@b.c1` | EMAIL
            `'rule':'email'` | `a@b.cd.` | EMAIL
            `'rule':'email'` | `a@b_c.de` | EMAIL
            `'rule':'email'` | `a@b.cd@e.fg` | EMAIL
            `'rule':'email'` | `ä@b.cd` | EMAIL
            `'rule':'email'` | `a@b.çd` | EMAIL
            `'rule':'email'` | `a@b.cd ` | EMAIL
            `'rule':'email'` | `a!b@c.de` | EMAIL
            `'rule':'email'` | `` | EMAIL
            `'rule':'phone'` | `4155550199` | ``
            `'rule':'phone'` | `(415) 555-0199` | ``
            `'rule':'phone'` | `415.555.0199` | ``
            `'rule':'phone'` | `)4(1-5.5 5 5 0 1 9 9` | ``
            `'rule':'phone'` | `+14155550199` | PHONE
            `'rule':'phone'` | `415555019` | PHONE
            `'rule':'phone'` | `41555501990` | PHONE
            `'rule':'phone'` | `415/555/0199` | PHONE
            `'rule':'phone'` | `4155550199x` | PHONE
            `'rule':'phone'` | `415␤5550199` | PHONE
            `'rule':'phone'` | `٤155550199` | PHONE
            `'rule':'phone','error':'P'` | `` | =P
            """#))
    func judges(_ row: Row) throws {
        let result = try judge("'validationRules':[{\(row["rule"])}]", row["text"])
        #expect(result.errors == row.errors())
        #expect(!result.hasHardError)
    }

    /// All rules run, and their strings stand in the order of the rules.
    @Test(
        arguments: table(
            """
            spec | text | errors
            `'validationRules':[]` | `anything` | ``
            `'type':'ssn','validationRules':[]` | `1` | ``
            `'type':'cvc','validationRules':[]` | `1` | ``
            `'type':'expDate','validationRules':[]` | `` | ``
            `'type':'cardNumber','validationRules':[]` | `1` | ``
            `'validationRules':[{'rule':'luhnCheck'},{'rule':'length','min':3},{'rule':'pattern','pattern':'x'}]` | `1` | LUHN_ALGORITHM_CHECK LENGTH PATTERN
            `'validationRules':[{'rule':'pattern','pattern':'x'},{'rule':'length','min':3},{'rule':'luhnCheck'}]` | `1` | PATTERN LENGTH LUHN_ALGORITHM_CHECK
            `'validationRules':[{'rule':'pattern','pattern':'x'},{'rule':'pattern','pattern':'y'}]` | `1` | PATTERN PATTERN
            `'validationRules':[{'rule':'length','min':3,'error':'A'},{'rule':'length','max':0,'error':'B'}]` | `1` | =A =B
            `'type':'ssn','validationRules':[{'rule':'length','min':9}]` | `219-09-999` | LENGTH
            `'type':'cardHolderName','validationRules':[{'rule':'length','min':1}]` | `Z` | ``
            """))
    func runsAllRules(_ row: Row) throws {
        #expect(try judge(row["spec"], row["text"]).errors == row.errors())
    }

    /// Patterns that take more than linear time are stopped on texts that are not short, whatever PCRE2 itself counts.
    @Test(arguments: ["a*?a*?a*?x", "(a+)+x", "(?>a*)*.*.*x", ".*.*.*.*b", "(a|aa)+x", "(?=.*.*.*x!)a+"])
    func slowPatternsAreStopped(_ pattern: String) throws {
        let form = try TestForm("{'name':'f','validationRules':[{'rule':'pattern','pattern':'\(pattern)'}]}")
        for length in [30, 300, 100_000] {
            let evaluation = try form.evaluate("{'f':'\(String(repeating: "a", count: length))xa'}")
            #expect(try evaluation.result("f").errors == ["PATTERN_VALIDATION_ERROR"])
        }
    }

    /// Long text that fits is no slow text.
    @Test(arguments: ["a+", "[a-z]*", "(aa)*", "a*a*", ".*", "(?:a|b)*", "a{100,}", "^a+$"])
    func longTextThatFitsPasses(_ pattern: String) throws {
        let form = try TestForm("{'name':'f','validationRules':[{'rule':'pattern','pattern':'\(pattern)'}]}")
        let evaluation = try form.evaluate("{'f':'\(String(repeating: "a", count: 20_000))'}")
        #expect(evaluation.isValid, "\(evaluation.exhaustedPatterns)")
    }

    /// A pattern that runs into its limit fails and is told apart for the log.
    @Test func exhaustedPatternIsReportedByName() throws {
        let form = try TestForm(
            "{'name':'slow','validationRules':[{'rule':'pattern','pattern':'(a+)+'}]},{'name':'fast'}")
        let text = String(repeating: "a", count: 64) + "b"
        let evaluation = try form.evaluate("{'slow':'\(text)','fast':'\(text)'}")
        #expect(try evaluation.result("slow").errors == ["PATTERN_VALIDATION_ERROR"])
        #expect(evaluation.exhaustedPatterns == ["slow"])
    }
}
