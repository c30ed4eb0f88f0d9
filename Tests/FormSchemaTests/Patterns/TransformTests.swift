import Testing

@testable import FormSchema

/// `docs/reference/elements.md` sections 2, 5, 6, 7 and 10.
@Suite struct TransformTests {
    @Test(
        arguments: table(
            #"""
            transform | text | transformed
            `{'matcher':'\\D'}` | `(415) 555 - 0199` | `4155550199`
            `{'matcher':'-'}` | `a-b-c` | `abc`
            `{'matcher':'x'}` | `abc` | `abc`
            `{'matcher':'b','replacement':'[$0]'}` | `abcb` | `a[b]c[b]`
            `{'matcher':'(a)(b)?','replacement':'<$1|$2>'}` | `aab` | `<a|><a|b>`
            `{'matcher':'^(.{3})(.{3})(.{4})$','replacement':'($1) $2 - $3'}` | `4155550199` | `(415) 555 - 0199`
            `{'matcher':'^(.{3})(.{3})(.{4})$','replacement':'($1) $2 - $3'}` | `4155` | `4155`
            `{'matcher':'^.*@(\\w+).*$','replacement':'$1','case':'upper'}` | `ana@shop.example` | `SHOP`
            `{'matcher':'^.*@(\\w+).*$','replacement':'$1','case':'upper'}` | `ana` | `ana`
            `{'case':'upper'}` | `ab12` | `AB12`
            `{'case':'lower'}` | `AB12É` | `ab12é`
            `{'case':'upper'}` | `straße` | `STRASSE`
            `{'matcher':'z','case':'upper'}` | `ab` | `ab`
            `{'matcher':'a','replacement':'$0','case':'upper'}` | `ab` | `AB`
            `[{'matcher':'a','replacement':'b'},{'matcher':'b','replacement':'c'}]` | `ab` | `cc`
            `[{'case':'upper'},{'matcher':'[a-z]'}]` | `ab` | `AB`
            `[{'matcher':'-'},{'case':'upper'},{'matcher':'B','replacement':'$0$0'}]` | `a-b` | `ABB`
            `{'matcher':'b','replacement':'\\$0'}` | `abc` | `a$0c`
            `{'matcher':'b','replacement':'\\\\'}` | `abc` | `a\c`
            `{'matcher':'b','replacement':'\\n'}` | `abc` | `anc`
            `{'matcher':'b','replacement':'\\é'}` | `abc` | `aéc`
            `{'matcher':'b','replacement':'$'}` | `abc` | `a$c`
            `{'matcher':'b','replacement':'$x'}` | `abc` | `a$xc`
            `{'matcher':'b','replacement':'${1}'}` | `abc` | `a${1}c`
            `{'matcher':'(b)','replacement':'$12'}` | `abc` | `ab2c`
            `{'matcher':'(b)','replacement':'$10'}` | `abc` | `ab0c`
            `{'matcher':'(b)','replacement':'$01'}` | `abc` | `abc`
            `{'matcher':'(b)','replacement':'$001'}` | `abc` | `ab1c`
            `{'matcher':'(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)','replacement':'$11$10$1'}` | `abcdefghijk` | `kja`
            `{'matcher':'(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)','replacement':'$111'}` | `abcdefghijk` | `k1`
            `{'matcher':'x*','replacement':'-'}` | `abc` | `-a-b-c-`
            `{'matcher':'x*','replacement':'-'}` | `axxb` | `-a--b-`
            `{'matcher':'','replacement':'-'}` | `ab` | `-a-b-`
            `{'matcher':'','replacement':'-'}` | `` | `-`
            `{'matcher':'','replacement':'-'}` | `é😀` | `-é-😀-`
            `{'matcher':'.*','replacement':'<$0>'}` | `ab` | `<ab><>`
            `{'matcher':'^.*$','replacement':'<$0>'}` | `ab` | `<ab>`
            `{'matcher':'$','replacement':'!'}` | `ab` | `ab!`
            `{'matcher':'^','replacement':'!'}` | `ab` | `!ab`
            `{'matcher':'\\b','replacement':'|'}` | `ab c` | `|ab| |c|`
            `{'matcher':'(?=b)','replacement':'-'}` | `abab` | `a-ba-b`
            `{'matcher':'\\s+$'}` | `a b  ` | `a b`
            `{'matcher':'é'}` | `éaé` | `a`
            `{'matcher':'.'}` | `👨‍👩‍👧x` | ``
            `{'matcher':'b','replacement':'-'}` | `😀b😀b` | `😀-😀-`
            `{'matcher':'\\d'}` | `1٣2` | `٣`
            `{'matcher':'a\\Kb','replacement':'-'}` | `abaab` | `a-aa-`
            `{'matcher':'(?:(\\Ka)|x){0}(?<=(?1))','replacement':'-'}` | `abaab` | `-b-ab`
            `{'matcher':'(?:(\\Ka)|x){0}(?<=(?1))'}` | `ba` | `b`
            """#))
    func replaces(_ row: Row) throws {
        let result = try judge("'transform':\(row["transform"])", row["text"])
        #expect(result.raw == row["transformed"])
        #expect(result.output.whole == row["transformed"])
        #expect(result.formatted == row["text"])
        #expect(result.isEmpty == row["transformed"].isEmpty)
        #expect(result.errors == [])
    }

    /// The table of `docs/reference/elements.md` section 7, with and without `validation`.
    @Test(
        arguments: table(
            """
            validation | text | transformed | valid | mask | complete | refused
            `,'validation':'^[0-9]{10}$'` | `4155550199` | `4155550199` | yes | yes | yes | no
            `,'validation':'^[0-9]{10}$'` | `41555501` | `41555501` | no | no | no | yes
            `,'validation':'^[0-9]{10}$'` | - | `` | no | no | no | no
            `,'validation':'^[0-9]{10}$'` | `` | `` | no | no | no | no
            `` | `41555501` | `41555501` | yes | no | no | yes
            `` | - | `` | yes | no | no | no
            `` | `4155550199` | `4155550199` | yes | yes | yes | no
            """))
    func stateOfAnElement(_ row: Row) throws {
        let form = try TestForm(
            "{'name':'f','mask':'(###)###-####','transform':{'matcher':'[()-]'}\(row["validation"])}")
        let evaluation = try row["text"] == "-" ? form.evaluate("{}") : form.evaluate("{'f':'\(row["text"])'}")
        let result = try evaluation.result("f")
        #expect(result.raw == row["transformed"])
        #expect(result.isValid == row.flag("valid"))
        #expect(result.isMaskSatisfied == row.flag("mask"))
        #expect(result.isComplete == row.flag("complete"))
        #expect(evaluation.refused?.requiredValid == (row.flag("refused") ? ["f"] : nil))
    }

    /// `validation` searches the transformed text; the rules of the type follow it.
    @Test(
        arguments: table(
            #"""
            spec | text | errors
            `'validation':'b'` | `abc` | ``
            `'validation':'^b'` | `abc` | VALIDATION
            `'validation':'b'` | `` | VALIDATION
            `'validation':''` | `` | ``
            `'validation':'^$'` | `` | ``
            `'validation':'B'` | `abc` | VALIDATION
            `'validation':'B','transform':{'case':'upper'}` | `abc` | ``
            `'validation':'-','transform':{'matcher':'-'}` | `a-b` | VALIDATION
            `'validation':'\\d'` | `٣` | VALIDATION
            `'type':'ssn','transform':{'matcher':'-'}` | `219-09-9999` | ``
            `'type':'ssn','transform':{'matcher':'-'}` | `000-09-9999` | PATTERN
            `'type':'ssn','mask':'###-##-####'` | `219099999` | ``
            `'type':'ssn','mask':'###-##-####'` | `219-09-9999` | ``
            `'type':'ssn','mask':'###-##-####','validation':'x'` | `21909` | VALIDATION PATTERN
            `'type':'ssn','mask':'###-##-####','validationRules':[]` | `000000000` | ``
            `'type':'cardHolderName','transform':{'case':'upper'}` | `Zoë` | PATTERN
            `'type':'cardHolderName','transform':{'matcher':'ë','replacement':'e'}` | `Zoë` | ``
            `'mask':'##','validation':'x','validationRules':[{'rule':'luhnCheck'},{'rule':'length','max':1,'error':'L'}]` | `12` | VALIDATION LUHN_ALGORITHM_CHECK =L
            """#))
    func validates(_ row: Row) throws {
        let result = try judge(row["spec"], row["text"])
        #expect(result.errors == row.errors())
        #expect(result.hasHardError == (!result.isEmpty && !result.isComplete))
    }

    /// A pattern that runs into its limit leaves the text as it was and fails the field, once.
    @Test func exhaustedStepLeavesTheText() throws {
        let text = String(repeating: "a", count: 40) + "b"
        let transform = "[{'matcher':'b','replacement':'c'},{'matcher':'(a+)+$'},{'case':'upper'}]"
        let form = try TestForm("{'name':'f','transform':\(transform),'validation':'^(A+)+$'}")
        let evaluation = try form.evaluate("{'f':'\(text)'}")
        let result = try evaluation.result("f")
        #expect(result.raw == String(repeating: "A", count: 40) + "C")
        #expect(result.errors == ["VALIDATION_ERROR"])
        #expect(result.hasHardError)
        #expect(evaluation.exhaustedPatterns == ["f"])
    }

    /// One step may go over all of the text: from every place of a long one that is too much work, and is stopped.
    @Test(arguments: [
        "[A-Z](?=.*[0-9])", "A(?=[^b]*$)", "A*+b", "(?>A*)b?(?<!A)", #"(?=(A+))\\1[bc]"#, "(A)(?=A*+b)",
    ])
    func longWaysAreCounted(matcher: String) throws {
        let form = try TestForm("{'name':'f','transform':{'matcher':'\(matcher)'}}")
        let evaluation = try form.evaluate("{'f':'\(String(repeating: "A", count: 200_000))1'}")
        #expect(try evaluation.result("f").errors == ["VALIDATION_ERROR"])
        #expect(evaluation.exhaustedPatterns == ["f"])
    }

    /// Text of some length may be looked through from every place of it.
    @Test(arguments: [
        (#".*@(\\w+).*"#, String(repeating: "a", count: 800)), (#"(\\w+) (\\w+)"#, String(repeating: "a", count: 600)),
        (#"\\s+$"#, "x" + String(repeating: " ", count: 800) + "y"),
    ])
    func someLengthIsNoMatterForALimit(matcher: String, text: String) throws {
        let form = try TestForm("{'name':'f','transform':{'matcher':'\(matcher)'}}")
        let evaluation = try form.evaluate("{'f':'\(text)'}")
        #expect(try evaluation.result("f").raw == text)
        #expect(evaluation.isValid && evaluation.exhaustedPatterns.isEmpty)
    }

    @Test func phoneRecipe() throws {
        let spec = """
            'mask':'(###) ### - ####','transform':{'matcher':'\\\\D'},'validationRules':[{'rule':'phone'}],\
            'maxInputLength':10
            """
        let result = try judge(spec, "415-555-0199")
        #expect(result.formatted == "(415) 555 - 0199")
        #expect(result.output.whole == "4155550199")
        #expect(result.isComplete)
        let long = try judge(spec, "+1 415 555 0199")
        #expect(long.errors == ["MAX_INPUT_LENGTH_VALIDATION_ERROR", "DROPPED_INPUT_VALIDATION_ERROR"])
        #expect(long.hasHardError)
    }

    /// An alias stands for the transformed text, never for the submitted one.
    @Test func tokenizesTheTransformedText() throws {
        let form = try TestForm(
            "{'name':'f','mask':'##-##','transform':{'matcher':'-'},'tokenization':{'format':'NUM_LENGTH_PRESERVING'}}")
        let evaluation = try form.evaluate("{'f':'12-34'}")
        #expect(evaluation.refusal == nil)
        #expect(evaluation.raw == #"{"f":"1234"}"#)
        #expect(evaluation.data == #"{"f":"<f>"}"#)
    }
}
