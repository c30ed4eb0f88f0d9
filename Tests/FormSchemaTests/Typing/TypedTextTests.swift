import JSON
import Testing

@testable import FormSchema

/// `docs/reference/browser.md` section 4: what a field shows while text is typed into it. `|` is the caret.
@Suite struct TypedTextTests {
    @Test(
        arguments: table(
            #"""
            field | typed | shown | value | refused | next | full
            `'type':'cardNumber'` | `4|` | `4|` | `4` | `` | `` | no
            `'type':'cardNumber'` | `41111|` | `4111 1|` | `41111` | `` | `` | no
            `'type':'cardNumber'` | `4111|` | `4111|` | `4111` | `` | ` ` | no
            `'type':'cardNumber'` | `4111 x|1` | `4111 |1` | `41111` | `x` | `` | no
            `'type':'cardNumber'` | `49|111 1` | `49|11 11` | `491111` | `` | `` | no
            `'type':'cardNumber'` | `3711310679247081|` | `3711 310679 24708|` | `371131067924708` | `1` | `` | yes
            `'type':'cardNumber'` | `|4111` | `|4111` | `4111` | `` | ` ` | no
            `'type':'expDate'` | `1|` | `1|` | `1` | `` | `` | no
            `'type':'expDate'` | `12|` | `12|` | `12` | `` | `/` | no
            `'type':'expDate'` | `12/|` | `12/|` | `12` | `` | `` | no
            `'type':'expDate'` | `12/3|` | `12/3|` | `123` | `` | `` | no
            `'type':'expDate'` | `123|` | `12/3|` | `123` | `` | `` | no
            `'type':'cvc'` | `12345|` | `1234|` | `1234` | `5` | `` | yes
            `'formatPattern':'+1 ###'` | `4|` | `+1 4|` | `4` | `` | `` | no
            `'formatPattern':'+1 ###'` | `+1 41|` | `+1 41|` | `41` | `` | `` | no
            `'formatPattern':'AA-##'` | `aB|` | `B|` | `B` | `a` | `` | no
            `'mask':'(###) ###'` | `415|` | `(415|` | `415` | `` | `) ` | no
            `'mask':'(###) ###'` | `(415) 55|5` | `(415) 55|5` | `415555` | `` | `` | yes
            `'mask':'+1###'` | `+1415|` | `+1415|` | `415` | `` | `` | yes
            `'mask':'CC'` | `ab|` | `AB|` | `ab` | `` | `` | yes
            `'mask':[{'pattern':'[a-z]','case':'upper'},{'pattern':'[a-z]'}]` | `Ab|` | `Ab|` | `ab` | `` | `` | yes
            `'mask':'##'` | `😀1|` | `1|` | `1` | `` | `` | no
            `'formatPattern':''` | `any x|` | `any x|` | `any x` | `` | `` | yes
            """#))
    func shapes(_ row: Row) throws {
        let form = try TestForm("{'name':'f',\(row["field"])}").schema
        let (text, caret) = Self.split(row["typed"])
        let json = Self.typed(form, text, caret: caret)
        let typed = try #require(JSONValue.parse(Array(json.utf8)).object)
        let (shown, place) = Self.split(row["shown"])
        #expect(typed["text"]?.string == shown)
        #expect(typed["value"]?.string == row["value"])
        #expect(typed["refused"]?.string == row["refused"])
        #expect(typed["next"]?.string == row["next"])
        if case .number(let caret)? = typed["caret"] { #expect(caret.int == place) }
        if case .bool(let isFull)? = typed["isFull"] { #expect(isFull == row.flag("full")) }
    }

    /// What is written for a text; nothing if the form lacks the field.
    private static func typed(
        _ form: FormSchema, _ text: String, caret: Int, inField field: String = "f", cardNumber: String = ""
    ) -> String {
        written { _ = form.writeTyped(text, caret: caret, inField: field, cardNumber: cardNumber, into: &$0) }
    }

    /// A text and where its caret stands, in UTF-16 code units.
    private static func split(_ text: String) -> (text: String, caret: Int) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        return (parts.joined(), parts[0].utf16.count)
    }

    @Test func codesFollowTheirCard() throws {
        let form = try TestForm("{'name':'n','type':'cardNumber'},{'name':'c','type':'cvc'}").schema
        let visa = Self.typed(form, "1234", caret: 4, inField: "c", cardNumber: "4111")
        #expect(visa.contains(#""text":"123""#) && visa.contains(#""refused":"4""#))
        let amex = Self.typed(form, "1234", caret: 4, inField: "c", cardNumber: "34")
        #expect(amex.contains(#""text":"1234""#))
        #expect(Self.typed(form, "", caret: 0, inField: "x").isEmpty)
    }

    /// What is submitted is shaped to what was shown, but for literals that were typed after the last slot.
    @Test(arguments: [
        "'formatPattern':'+1 ###'", "'mask':'+1###'", "'mask':'CC-##'", "'type':'ssn'", "'type':'cardNumber'",
    ])
    func valueIsShapedToTheText(_ field: String) throws {
        let form = try TestForm("{'name':'f',\(field)}").schema
        for text in ["", "4", "41", "415", "ab1", "ab12", "219099999", "+1415", "4111 1111 1"] {
            let json = Self.typed(form, text, caret: 0)
            let typed = try #require(JSONValue.parse(Array(json.utf8)).object)
            let value = try #require(typed["value"]?.string)
            var fields = JSONObject()
            fields.set("f", .string(value))
            var submission = JSONObject()
            submission.set("fields", .object(fields))
            let submitted = form.evaluate(try Submission(.object(submission), for: form), today: try clock())
            let shown = try #require(typed["text"]?.string)
            let formatted = try submitted.result("f").formatted
            #expect(
                shown.hasPrefix(formatted)
                    && shown.dropFirst(formatted.count).allSatisfy { !$0.isLetter || value.isEmpty }, "\(text)")
        }
    }
}
