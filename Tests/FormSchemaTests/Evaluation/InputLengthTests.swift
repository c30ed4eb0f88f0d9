import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 6, `maxInputLength`: counted before formatting, refused and never cut.
@Suite struct InputLengthTests {
    @Test(
        arguments: table(
            """
            spec | text | errors
            `'maxInputLength':3` | `abc` | ``
            `'maxInputLength':3` | `abcd` | MAX_INPUT_LENGTH
            `'maxInputLength':3` | `a b` | ``
            `'maxInputLength':3` | `a bc` | MAX_INPUT_LENGTH
            `'maxInputLength':3` | `👨‍👩‍👧éx` | ``
            `'maxInputLength':0` | `` | ``
            `'maxInputLength':0` | `a` | MAX_INPUT_LENGTH
            `'maxInputLength':0` | ` ` | MAX_INPUT_LENGTH
            `'maxInputLength':9223372036854775807` | `abcd` | ``
            `'formatPattern':'####','maxInputLength':3` | `1-2-3` | ``
            `'formatPattern':'####','maxInputLength':3` | `1-2-3-4` | MAX_INPUT_LENGTH
            `'formatPattern':'##','maxInputLength':3` | `1234` | MAX_INPUT_LENGTH DROPPED_INPUT
            `'formatPattern':'##','maxInputLength':4` | `1234` | DROPPED_INPUT
            `'formatPattern':'####','maxInputLength':1` | `\u{0663}1` | DROPPED_INPUT
            `'formatPattern':'@@@','maxInputLength':1` | `é-😀` | ``
            `'formatPattern':'','maxInputLength':3` | `1-2-3` | MAX_INPUT_LENGTH
            `'type':'cardNumber','maxInputLength':16` | `4539 5260 1815 9083` | ``
            `'type':'cardNumber','maxInputLength':15` | `4539 5260 1815 9083` | MAX_INPUT_LENGTH
            `'type':'cvc','maxInputLength':3` | `3 2 1` | ``
            `'type':'cvc','maxInputLength':3` | `3210` | MAX_INPUT_LENGTH
            `'type':'cvc','maxInputLength':1` | `32105` | MAX_INPUT_LENGTH DROPPED_INPUT
            `'type':'cvc','maxInputLength':1` | `32` | MAX_INPUT_LENGTH LENGTH_RANGE_MATCH
            `'type':'ssn','maxInputLength':9` | `219-09-9999` | ``
            `'type':'ssn','maxInputLength':8` | `219-09-9999` | MAX_INPUT_LENGTH
            `'type':'cardHolderName','maxInputLength':5` | `Ann Li` | MAX_INPUT_LENGTH
            `'type':'expDate','maxInputLength':4` | `09/31` | ``
            `'mask':'(###) ### - ####','maxInputLength':10` | `415-555-0199` | ``
            `'mask':'(###) ### - ####','maxInputLength':10` | `415-555-01991` | MAX_INPUT_LENGTH DROPPED_INPUT
            `'mask':'####','maxInputLength':4` | `1 2 3 4` | ``
            `'transform':{'matcher':'-'},'maxInputLength':4` | `1-2-3` | MAX_INPUT_LENGTH
            `'transform':{'matcher':'-'},'maxInputLength':5` | `1-2-3` | ``
            `'validation':'x','maxInputLength':1` | `ab` | MAX_INPUT_LENGTH VALIDATION
            """))
    func counts(_ row: Row) throws {
        let result = try judge(row["spec"], row["text"])
        #expect(result.errors == row.errors())
        let isElement = row["spec"].hasPrefix("'mask") || row["spec"].hasPrefix("'val")
        let isHard = result.errors.contains { $0.hasPrefix("MAX") || $0.hasPrefix("DROPPED") }
        if !isElement { #expect(result.hasHardError == isHard) }
    }

    /// A brand without a pattern drops nothing, so every character counts.
    @Test func brandsWithoutAPatternCountEverything() throws {
        let top = "'cardBrands':{'unknown':{'formatPattern':''}},"
        let spec = "'type':'cardNumber','maxInputLength':4"
        #expect(try judge(spec, "9-9-9", top: top).errors.first == "MAX_INPUT_LENGTH_VALIDATION_ERROR")
        #expect(try judge(spec, "9-99", top: top).errors.first != "MAX_INPUT_LENGTH_VALIDATION_ERROR")
        #expect(try judge(spec, "4-9-9-9", top: top).errors.first != "MAX_INPUT_LENGTH_VALIDATION_ERROR")
    }

    /// Formatting and rules work on the whole text.
    @Test func textIsNotCut() throws {
        let result = try judge("'type':'ssn','maxInputLength':8", "219-09-9999")
        #expect(result.raw == "219099999")
        #expect(result.output.whole == "219-09-9999")
        #expect(result.hasHardError)
    }
}
