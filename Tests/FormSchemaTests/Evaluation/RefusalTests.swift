import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 7: what stops a request, and which list a name goes to; section 10: *satisfied*.
@Suite struct RefusalTests {
    /// One field with every combination of flags. `R` isRequired, `V` isRequiredValidOnly, `P` isValidIfPresent.
    @Test(
        arguments: table(
            """
            type | flags | text | required | valid | satisfied
            ssn | `` | `` | no | no | no
            ssn | `R` | `` | yes | no | no
            ssn | `V` | `` | no | yes | no
            ssn | `P` | `` | no | no | yes
            ssn | `RV` | `` | yes | yes | no
            ssn | `RP` | `` | yes | no | no
            ssn | `VP` | `` | no | yes | no
            ssn | `RVP` | `` | yes | yes | no
            ssn | `` | `219-09` | no | no | no
            ssn | `R` | `219-09` | no | no | no
            ssn | `V` | `219-09` | no | yes | no
            ssn | `P` | `219-09` | no | yes | no
            ssn | `RV` | `219-09` | no | yes | no
            ssn | `RVP` | `219-09` | no | yes | no
            ssn | `RVP` | `219-09-9999` | no | no | yes
            ssn | `` | `219-09-9999` | no | no | yes
            ssn | `` | `219-09-99990` | no | yes | no
            ssn | `P` | `219-09-99990` | no | yes | no
            none | `` | `` | no | no | yes
            none | `R` | `` | yes | no | no
            none | `V` | `` | no | no | yes
            none | `P` | `` | no | no | yes
            none | `RVP` | `` | yes | no | no
            none | `RVP` | `x` | no | no | yes
            cardNumber | `V` | `` | no | yes | no
            expDate | `V` | `` | no | yes | no
            date | `V` | `` | no | yes | no
            cvc | `V` | `` | no | yes | no
            cardHolderName | `V` | `` | no | yes | no
            cardNumber | `R` | `- -` | yes | no | no
            cardNumber | `R` | `x` | yes | yes | no
            cvc | `` | `x` | no | yes | no
            cardNumber | `P` | `x` | no | yes | no
            expDate | `P` | `ab` | no | yes | no
            """))
    func listsNames(_ row: Row) throws {
        let keys = [("R", "isRequired"), ("V", "isRequiredValidOnly"), ("P", "isValidIfPresent")]
        let flags = keys.map { ",'\($0.1)':\(row["flags"].contains($0.0))" }.joined()
        let form = try TestForm("{'name':'f','type':'\(row["type"])'\(flags)}")
        for evaluation in [
            try form.evaluate("{'f':'\(row["text"])'}"), row["text"].isEmpty ? try form.evaluate("{}") : nil,
        ] {
            guard let evaluation else { continue }
            #expect(evaluation.refused?.required ?? [] == (row.flag("required") ? ["f"] : []))
            #expect(evaluation.refused?.requiredValid ?? [] == (row.flag("valid") ? ["f"] : []))
            #expect((evaluation.refusal == nil) == (!row.flag("required") && !row.flag("valid")))
            #expect(evaluation.isValid == row.flag("satisfied"))
            #expect(evaluation.nextField == (row.flag("satisfied") ? nil : "f"))
        }
    }

    /// Without a flag, invalid text is sent as it is; hard errors stop it all the same.
    @Test(
        arguments: table(
            """
            spec | text | stops | raw
            `'type':'ssn'` | `000` | no | `{'f':'000'}`
            `'type':'expDate'` | `99/00` | no | `{'f':'99/00'}`
            `'type':'cardNumber'` | `4539 5260` | no | `{'f':'45395260'}`
            `'type':'cardNumber','tokenization':{}` | `4539 5260` | yes | ``
            `'type':'cardNumber','tokenization':{}` | `4539 5260 1815 9084` | no | `{'f':'4539526018159084'}`
            `'type':'cardNumber','tokenization':{'format':'UUID'}` | `4539` | no | `{'f':'4539'}`
            `'type':'cvc','tokenization':{'format':'NUM_LENGTH_PRESERVING'}` | `32` | yes | ``
            `'type':'cvc','tokenization':{'format':'NUM_LENGTH_PRESERVING'}` | `321` | no | `{'f':'321'}`
            `'type':'cvc','tokenization':{'format':'NUM_LENGTH_PRESERVING'}` | `` | no | `{'f':''}`
            `'maxInputLength':1` | `ab` | yes | ``
            `'formatPattern':'#'` | `12` | yes | ``
            `'formatPattern':'###'` | `12` | no | `{'f':'12'}`
            `'mask':'###'` | `12` | yes | ``
            `'mask':'###'` | `123` | no | `{'f':'123'}`
            `'mask':'###'` | `` | no | `{'f':''}`
            `'validation':'x'` | `y` | yes | ``
            `'validation':'x'` | `` | no | `{'f':''}`
            `'validation':'x'` | `axb` | no | `{'f':'axb'}`
            `'transform':{'case':'upper'},'validationRules':[{'rule':'length','min':3}]` | `ab` | yes | ``
            `'validationRules':[{'rule':'length','min':3}]` | `ab` | no | `{'f':'ab'}`
            `'mask':'##'` | `ab` | yes | ``
            `'mask':'##','isValidIfPresent':true` | `ab` | yes | ``
            `'type':'cvc','isValidIfPresent':true` | `x` | yes | ``
            `'formatPattern':'##','isValidIfPresent':true` | `ab` | yes | ``
            `'mask':'##'` | `-` | no | `{'f':''}`
            `'transform':{'matcher':'.*'}` | `ab` | no | `{'f':''}`
            `'transform':{'matcher':'.*'},'maxInputLength':1` | `ab` | yes | ``
            `'formatPattern':'##'` | `ab` | yes | ``
            `'type':'expDate','formatPattern':'','validationRules':[]` | `soon` | no | `{'f':'soon'}`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd','validationRules':[]` | `99999999` | no | `{'f':'99/99/9999'}`
            `'type':'date','tokenization':{'format':'NUM_LENGTH_PRESERVING'}` | `05112031` | yes | ``
            `'type':'date','divider':'','tokenization':{'format':'NUM_LENGTH_PRESERVING'}` | `05112031` | no | `{'f':'05112031'}`
            `'type':'cardNumber','divider':' ','tokenization':{}` | `4539526018159083` | yes | ``
            """))
    func stopsAtHardErrors(_ row: Row) throws {
        let form = try TestForm("{'name':'f',\(row["spec"])}")
        let evaluation = try form.evaluate("{'f':'\(row["text"])'}")
        if row.flag("stops") {
            #expect(evaluation.refused?.required == [])
            #expect(evaluation.refused?.requiredValid == ["f"])
            #expect(!evaluation.isValid && evaluation.nextField == "f")
        } else {
            #expect(evaluation.refusal == nil)
            #expect(evaluation.raw.replacing("\"", with: "'") == row["raw"])
        }
    }

    /// Lenience takes away the error of dropped input alone.
    @Test func lenientFormStillRefusesTheRest() throws {
        let form = try TestForm(
            """
            {'name':'a','maxInputLength':1,'formatPattern':'#'},{'name':'b','mask':'###'},{'name':'c','mask':'##'},
            {'name':'d','type':'cardNumber','tokenization':{}}
            """, top: "'lenientInput':true,")
        let evaluation = try form.evaluate("{'a':'12','b':'12x','c':'x12y','d':'4539x'}")
        #expect(evaluation.refused?.requiredValid == ["a", "b", "d"])
        #expect(try evaluation.result("c").isComplete)
    }

    /// Names stand in form order, at most once a list.
    @Test func listsAreInFormOrder() throws {
        let form = try TestForm(
            """
            {'name':'z','isRequired':true},{'name':'y','type':'ssn','isRequired':true,'isRequiredValidOnly':true},
            {'name':'x','type':'cvc','isRequiredValidOnly':true,'isValidIfPresent':true,'maxInputLength':1},{'name':'w'}
            """)
        let evaluation = try form.evaluate("{'x':'3210x'}")
        #expect(evaluation.refused?.required == ["z", "y"])
        #expect(evaluation.refused?.requiredValid == ["y", "x"])
    }

    /// `docs/reference/elements.md` section 9: number, expiry and code, all required.
    @Test(
        arguments: table(
            """
            number | exp | cvc | next
            `` | `` | `` | number
            `4539526018159083` | `` | `321` | exp
            `4539526018159083` | `10/26` | `321` | exp
            `371131067924708` | `11/26` | `321` | cvc
            `371131067924708` | `11/26` | `3210` | -
            `34` | `11/26` | `3210` | number
            """))
    func entersFieldsInOrder(_ row: Row) throws {
        let flags = "'isRequired':true,'isRequiredValidOnly':true"
        let form = try TestForm(
            """
            {'name':'number','type':'cardNumber',\(flags)},{'name':'exp','type':'expDate',\(flags)},
            {'name':'cvc','type':'cvc',\(flags)}
            """)
        let evaluation = try form.evaluate("{'number':'\(row["number"])','exp':'\(row["exp"])','cvc':'\(row["cvc"])'}")
        #expect(evaluation.nextField == (row["next"] == "-" ? nil : row["next"]))
        #expect(evaluation.isValid == (row["next"] == "-"))
        #expect(evaluation.isComplete == (row["next"] == "-"))
    }

    /// Complete: satisfied, and every field whole or empty.
    @Test(
        arguments: table(
            """
            spec | text | valid | complete
            `'formatPattern':'###'` | `12` | yes | no
            `'formatPattern':'###'` | `123` | yes | yes
            `'formatPattern':'###'` | `` | yes | yes
            `'type':'ssn','isValidIfPresent':true` | `` | yes | yes
            `'type':'ssn'` | `` | no | no
            `'type':'cvc','validationRules':[]` | `32` | yes | no
            `'type':'cardNumber','validationRules':[]` | `45` | yes | no
            `` | `x` | yes | yes
            """))
    func tellsCompleteFromValid(_ row: Row) throws {
        let spec = row["spec"].isEmpty ? "" : "," + row["spec"]
        let evaluation = try TestForm("{'name':'f'\(spec)}").evaluate("{'f':'\(row["text"])'}")
        #expect(evaluation.isValid == row.flag("valid"))
        #expect(evaluation.isComplete == row.flag("complete"))
    }
}
