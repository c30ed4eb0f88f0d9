import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 3: nothing is lost silently, unless the form is lenient.
@Suite struct DroppedInputTests {
    @Test(
        arguments: table(
            """
            spec | text | raw | dropped | other
            `'type':'cardNumber'` | `4539 5260 1815 9083 12345` | `4539526018159083123` | yes | CARD_NUMBER
            `'type':'cardNumber'` | `4539526018159083x` | `4539526018159083` | yes | ``
            `'type':'cardNumber'` | `4539.5260_1815/9083` | `4539526018159083` | no | ``
            `'type':'cardNumber'` | `453952601815908３` | `453952601815908` | yes | CARD_NUMBER
            `'type':'cardNumber'` | `4539526018159083\u{0301}` | `453952601815908` | yes | CARD_NUMBER
            `'type':'cardNumber'` | `4539526018159083 \u{0301}` | `4539526018159083` | no | ``
            `'type':'cardNumber'` | `💳4539526018159083` | `4539526018159083` | no | ``
            `'type':'expDate'` | `09/31x` | `0931` | yes | ``
            `'type':'expDate'` | `09/2031` | `0920` | yes | EXPIRATION_DATE
            `'type':'date'` | `05/11/20311` | `05112031` | yes | ``
            `'type':'ssn'` | `219-09-9999-1` | `219099999` | yes | ``
            `'type':'ssn'` | `SSN 219-09-9999` | `219099999` | yes | ``
            `'type':'cvc'` | `a` | `` | yes | LENGTH_RANGE_MATCH
            `'type':'cardHolderName'` | `Ann 2 Li` | `Ann 2 Li` | no | ``
            `'formatPattern':'AA-####'` | `qz PL 7042` | `PL7042` | yes | ``
            `'formatPattern':'##'` | `12-/ .` | `12` | no | ``
            `'mask':'##-##'` | `12-34` | `12-34` | no | ``
            `'mask':'##-##'` | `12-345` | `12-34` | yes | ``
            `'mask':'##-##'` | `a12-34` | `12-34` | yes | ``
            `'mask':'##-##'` | `12-34 ` | `12-34` | no | ``
            `'mask':'##-##'` | `12--34` | `12-34` | no | ``
            `'mask':'##-##'` | `1٢2-34` | `12-34` | yes | ``
            """))
    func isAnErrorUnlessLenient(_ row: Row) throws {
        let strict = try judge(row["spec"], row["text"])
        #expect(strict.raw == row["raw"])
        #expect(strict.errors == (row.flag("dropped") ? ["DROPPED_INPUT_VALIDATION_ERROR"] : []) + row.errors("other"))
        #expect(strict.hasHardError == row.flag("dropped"))
        let lenient = try judge(row["spec"], row["text"], top: "'lenientInput':true,")
        #expect(lenient.raw == row["raw"])
        #expect(lenient.errors == row.errors("other"))
        #expect(!lenient.hasHardError)
    }

    /// The order of `validationErrors`, with every kind in one field.
    @Test(
        arguments: table(
            """
            spec | text | errors
            `'type':'expDate','maxInputLength':1,'serializers':[{'expDate':{'month':'m','year':'y'}}],'tokenization':{}` | `9x` | MAX_INPUT_LENGTH DROPPED_INPUT PATTERN EXPIRATION_DATE
            `'type':'expDate','maxInputLength':1,'validationRules':[{'rule':'length','min':9}],'serializers':[{'expDate':{'month':'m','year':'y'}}]` | `9x` | MAX_INPUT_LENGTH DROPPED_INPUT LENGTH EXPIRATION_DATE
            `'type':'date','validationRules':[{'rule':'dateRange','error':'D'}],'serializers':[{'date':{'day':'d','month':'m','year':'y'}}]` | `05` | =D DATE
            `'type':'cardNumber','maxInputLength':2,'tokenization':{}` | `453x` | MAX_INPUT_LENGTH DROPPED_INPUT CARD_NUMBER ALIAS_FORMAT
            `'mask':'##','validation':'x','maxInputLength':1,'validationRules':[{'rule':'luhnCheck'}],'tokenization':{'format':'FPE_SIX_T_FOUR'}` | `1a` | MAX_INPUT_LENGTH DROPPED_INPUT VALIDATION LUHN_ALGORITHM_CHECK ALIAS_FORMAT
            """))
    func ordersErrors(_ row: Row) throws {
        let result = try judge(row["spec"], row["text"])
        #expect(result.errors == row.errors())
        #expect(result.hasHardError)
    }
}
