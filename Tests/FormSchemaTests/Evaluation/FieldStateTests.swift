import JSON
import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 10 and `docs/reference/proxy.md` section 6: the states, byte for byte.
@Suite struct FieldStateTests {
    /// The example of `docs/reference/proxy.md` section 6.
    @Test func exampleOfTheReference() throws {
        let form = try TestForm(
            """
            {'name':'card.pan','type':'cardNumber','isRequired':true,'isRequiredValidOnly':true},
            {'name':'card.code','type':'cvc','isRequiredValidOnly':true}
            """)
        let evaluation = try form.evaluate("{'card.code':'32'}")
        #expect(evaluation.refused?.required == ["card.pan"])
        #expect(evaluation.refused?.requiredValid == ["card.pan", "card.code"])
        #expect(
            written { evaluation.writeStates(into: &$0) } == """
                {"card.pan":{"fieldName":"card.pan","type":"cardNumber","isRequired":true,"isRequiredValidOnly":true,\
                "isValid":false,"isEmpty":true,"isDirty":false,"isComplete":false,"isMaskSatisfied":false,\
                "inputLength":0,"validationErrors":["CARD_NUMBER_VALIDATION_ERROR"],\
                "cardBrand":"unknown","cardBrandName":"Unknown","bin":"","last4":"","redacted":""},\
                "card.code":{"fieldName":"card.code","type":"cvc","isRequired":false,"isRequiredValidOnly":true,\
                "isValid":false,"isEmpty":false,"isDirty":true,"isComplete":false,"isMaskSatisfied":false,\
                "inputLength":2,"validationErrors":["LENGTH_RANGE_MATCH_VALIDATION_ERROR"],"redacted":"••"}}
                """)
    }

    @Test func verdictAroundTheStates() throws {
        let form = try TestForm(
            """
            {'name':'card_number','type':'cardNumber','isRequired':true,'isRequiredValidOnly':true},
            {'name':'cvc','type':'cvc'},{'name':'id','type':'ssn','isValidIfPresent':true}
            """)
        #expect(
            try form.evaluate("{'card_number':'4539526018159083','id':'219-09-9999'}").verdict == """
                {"form":"f","isValid":false,"isComplete":false,"nextField":"cvc",\
                "fields":{"card_number":{"fieldName":"card_number","type":"cardNumber","isRequired":true,\
                "isRequiredValidOnly":true,"isValid":true,"isEmpty":false,"isDirty":true,"isComplete":true,\
                "isMaskSatisfied":true,"inputLength":16,"validationErrors":[],"cardBrand":"visa",\
                "cardBrandName":"Visa","bin":"45395260","last4":"9083","redacted":"•••• •••• •••• 9083"},\
                "cvc":{"fieldName":"cvc","type":"cvc","isRequired":false,"isRequiredValidOnly":false,\
                "isValid":false,"isEmpty":true,"isDirty":false,"isComplete":false,"isMaskSatisfied":false,\
                "inputLength":0,"validationErrors":["LENGTH_RANGE_MATCH_VALIDATION_ERROR"],"redacted":""},\
                "id":{"fieldName":"id","type":"ssn","isRequired":false,"isRequiredValidOnly":false,\
                "isValid":true,"isEmpty":false,"isDirty":true,"isComplete":true,"isMaskSatisfied":true,\
                "inputLength":9,"validationErrors":[],"last4":"9999","redacted":"•••-••-9999"}}}
                """)
        let whole = try form.evaluate("{'card_number':'4539526018159083','cvc':'321'}").verdict
        #expect(whole.hasPrefix(#"{"form":"f","isValid":true,"isComplete":true,"nextField":null,"fields":{"#))
    }

    /// `isDirty` tells an absent field from an empty one; nothing else does.
    @Test(arguments: ["none", "cardNumber", "expDate", "date", "cvc", "cardHolderName", "ssn"])
    func absentIsEmptyButNotDirty(_ type: String) throws {
        let form = try TestForm("{'name':'f','type':'\(type)'}")
        let absent = try form.evaluate("{}").verdict
        let empty = try form.evaluate("{'f':''}").verdict
        #expect(absent.contains(#""isDirty":false"#))
        #expect(absent.replacing(#""isDirty":false"#, with: #""isDirty":true"#) == empty)
    }

    /// Which members a state has besides the common ones.
    @Test(
        arguments: table(
            """
            type | members
            none | redacted
            cardNumber | cardBrand cardBrandName bin last4 redacted
            expDate | redacted
            date | redacted
            cvc | redacted
            cardHolderName | redacted
            ssn | last4 redacted
            file | redacted
            """))
    func membersByType(_ row: Row) throws {
        let evaluation = try TestForm("{'name':'f','type':'\(row["type"])'}").evaluate("{}")
        let states = try JSONValue.parse(Array(written { evaluation.writeStates(into: &$0) }.utf8))
        let names = try #require(states.object?["f"]?.object).members.map(\.key)
        let common = [
            "fieldName", "type", "isRequired", "isRequiredValidOnly", "isValid", "isEmpty", "isDirty", "isComplete",
            "isMaskSatisfied", "inputLength", "validationErrors",
        ]
        #expect(names == common + row.list("members"))
    }

    @Test(
        arguments: table(
            """
            spec | text | length | mask | complete
            `` | `` | 0 | yes | no
            `` | `👨‍👩‍👧é` | 2 | yes | yes
            `'formatPattern':'##-##'` | `12-3` | 3 | no | no
            `'formatPattern':'##-##'` | `12-34` | 4 | yes | yes
            `'formatPattern':'##)'` | `12` | 2 | yes | yes
            `'formatPattern':'--'` | `` | 0 | yes | no
            `'formatPattern':'X#'` | `1` | 2 | yes | yes
            `'type':'expDate'` | `09/3` | 3 | no | no
            `'type':'expDate'` | `09/31` | 4 | yes | yes
            `'type':'expDate'` | `13/31` | 4 | yes | no
            `'type':'ssn'` | `219-09-999` | 8 | no | no
            `'type':'cardHolderName'` | `Zoë` | 3 | yes | no
            `'type':'cvc'` | `32` | 2 | no | no
            `'type':'cvc'` | `321` | 3 | yes | yes
            `'type':'cardNumber'` | `4539526018159` | 13 | yes | no
            `'type':'cardNumber'` | `45395260181590` | 14 | no | no
            `'type':'cardNumber'` | `4539526018159084` | 16 | yes | no
            `'type':'cardNumber'` | `9900120000000008` | 16 | no | no
            `'type':'ssn','formatPattern':''` | `1` | 1 | yes | no
            """))
    func lengthAndMask(_ row: Row) throws {
        let result = try judge(row["spec"], row["text"])
        #expect(result.inputLength == Int(row["length"]))
        #expect(result.isMaskSatisfied == row.flag("mask"))
        #expect(result.isComplete == row.flag("complete"))
    }

    @Test func ssnShowsItsLastFourOnlyWithNineCharacters() throws {
        #expect(try judge("'type':'ssn'", "219-09-9999").last4 == "9999")
        #expect(try judge("'type':'ssn','formatPattern':''", "219-09-9999").last4 == "")
        #expect(try judge("'type':'ssn','validationRules':[]", "219-09-999").last4 == "")
        #expect(try judge("'type':'ssn','validationRules':[]", "000-00-1234").last4 == "1234")
        #expect(try judge("'type':'ssn','maxInputLength':8", "219-09-9999").last4 == "", "not valid")
    }
}
