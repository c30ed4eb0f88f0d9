import JSON
import Testing

@testable import FormSchema

/// `docs/reference/browser.md` section 4: literals are never input, also where they are letters or digits. `|` is the caret.
@Suite struct TypedEditTests {
    @Test(
        arguments: table(
            #"""
            field | keys | shown | value | refused
            `'mask':'+33 # ## ## ## ##'` | `312345678` | `+33 3 12 34 56 78|` | `312345678` | ``
            `'mask':'+33 # ## ## ## ##'` | `{312345678}` | `+33 3 12 34 56 78|` | `312345678` | ``
            `'mask':'+33 # ## ## ## ##'` | `3` | `+33 3|` | `3` | ``
            `'mask':'+33 # ## ## ## ##'` | `+33 312` | `+33 3 12|` | `312` | ``
            `'mask':'+33 # ## ## ## ##'` | `+33<Backspace>` | `+3|` | `` | ``
            `'mask':'+33 # ## ## ## ##'` | `+3<Home>5` | `+33 5|` | `5` | ``
            `'mask':'+33 # ## ## ## ##'` | `{+33 3 12 34}` | `+33 3 12 34|` | `31234` | ``
            `'mask':'+33 # ## ## ## ##'` | `{ +33 3 12 34}` | `+33 3 12 34|` | `31234` | ``
            `'mask':'+33 # ## ## ## ##'` | `{+33312345678}` | `+33 3 12 34 56 78|` | `312345678` | ``
            `'mask':'+33 # ## ## ## ##'` | `{33312345678}` | `|` | `` | `78`
            `'mask':'+33 # ## ## ## ##'` | `12345678<Home>3` | `+33 3| 12 34 56 78` | `312345678` | ``
            `'mask':'+33 # ## ## ## ##'` | `12<Home><Delete><Delete>` | `|` | `` | ``
            `'mask':'+33 # ## ## ## ##'` | `312<All>4` | `+33 4|` | `4` | ``
            `'mask':'+33 # ## ## ## ##'` | `312<All><Delete>` | `|` | `` | ``
            `'mask':'+33 # ## ## ## ##'` | `+33 <Home><Right>3` | `+3|` | `` | ``
            `'formatPattern':'+49 ### #######'` | `4123` | `+49 412 3|` | `4123` | ``
            `'mask':'+1 (###) ###-####'` | `415<Home>9` | `+1 (9|41) 5` | `9415` | ``
            `'mask':'+1 (###) ###-####'` | `4125550199<Home><Delete>` | `|+1 (125) 550-199` | `125550199` | ``
            `'mask':'+1 (###) ###-####'` | `{+1 415 555 0199}` | `+1 (415) 555-0199|` | `4155550199` | ``
            `'mask':'+1 (###) ###-####'` | `{1 415 555 0199}` | `|` | `` | `9`
            `'mask':'##0-##'` | `1234<Home><Delete>` | `|230-4` | `234` | ``
            `'mask':'##0-##'` | `1203` | `120-03|` | `1203` | ``
            `'mask':'##0-##'` | `12-3` | `120-3|` | `123` | ``
            `'mask':'##0-##'` | `{120-34}` | `120-34|` | `1234` | ``
            `'mask':'##0-##'` | `{120}` | `120-0|` | `120` | ``
            `'mask':'##0-##'` | `{1203}` | `120-03|` | `1203` | ``
            `'mask':'##0-##'` | `{12034}` | `120-34|` | `1234` | ``
            `'mask':'##0-##'` | `1234<Left><Left><Backspace>` | `1|30-4` | `134` | ``
            `'mask':'##0-##'` | `1234<Home><Right><Right><Delete>` | `12|0-4` | `124` | ``
            `'mask':'+/#2##'` | `{123}` | `+/1223|` | `123` | ``
            `'mask':'+/#2##'` | `{+/123}` | `+/123|` | `13` | ``
            `'mask':'3##'` | `34` | `334|` | `34` | ``
            `'mask':'3##'` | `{345}` | `345|` | `45` | ``
            `'mask':'DE## #### ####'` | `1<Home>9` | `DE9|1` | `91` | ``
            `'mask':'DE## #### ####'` | `DE12 34` | `DE12 34|` | `1234` | ``
            `'mask':'DE## #### ####'` | `{DE123456}` | `DE12 3456|` | `123456` | ``
            `'formatPattern':'ID-####'` | `12<Home>9` | `ID-9|12` | `912` | ``
            `'formatPattern':'ID-####'` | `I1` | `ID-1|` | `1` | ``
            `'formatPattern':'ID-####'` | `1X` | `ID-1|` | `1` | `X`
            `'mask':[{'pattern':'[0-9]'},'0',{'pattern':'[a-z]'},'-',{'pattern':'[0-9]'}]` | `1a2<Home><Delete>` | `|a2` | `a2` | ``
            `'mask':[{'pattern':'[0-9]'},'0',{'pattern':'[a-z]'},'-',{'pattern':'[0-9]'}]` | `1a2<Home><Delete>3` | `3|0a-2` | `3a2` | ``
            `'mask':[{'pattern':'.'},'-',{'pattern':'.'}]` | `a-` | `a--|` | `a-` | ``
            `'mask':[{'pattern':'.'},{'pattern':'[a-z]'},'-',{'pattern':'.'}]` | `.b<Home>c` | `|.b` | `.b` | `.`
            `'mask':'CC-##'` | `~klm~` | `KL|` | `kl` | `m`
            `'mask':'CC-##'` | `~kl~` | `KL|` | `kl` | ``
            `'mask':'CC-##'` | `{klm}` | `|` | `` | `m`
            `'mask':'CC-##'` | `kl4<Left>~789~` | `KL-7|4` | `kl74` | `89`
            `'mask':'CC-##'` | `kl42<All>~7~` | `KL-42` | `kl42` | `7`
            `'mask':'####'` | `12<Left>~345~` | `134|2` | `1342` | `5`
            `'mask':'ccc-CCC'` | `~abcdefg~` | `abc-DEF|` | `abcdef` | `g`
            `'mask':'CC-##'` | `kl42<Home><Delete>` | `|l42` | `l42` | ``
            `'mask':'CC-##'` | `kl42<Home><Delete>a` | `A|L-42` | `al42` | ``
            `'mask':'CC-##'` | `kl42<Home><Delete>7` | `|l42` | `l42` | `742`
            `'mask':'[##]'` | `1<Home><Delete>2` | `[2|` | `2` | ``
            `'type':'expDate'` | `12/<Backspace>` | `12|` | `12` | ``
            `'type':'expDate'` | `12/3<Backspace>` | `12|` | `12` | ``
            `'type':'expDate'` | `123<Left><Backspace>` | `1|3` | `13` | ``
            `'type':'expDate'` | `{12/}` | `12|` | `12` | ``
            `'type':'cardNumber'` | `411111<Home>37` | `37|41 1111` | `37411111` | ``
            `'mask':[{'pattern':'.'},'-',{'pattern':'.'}]` | `e{👍🏽}` | `e-👍🏽|` | `e👍🏽` | ``
            """#))
    func keys(_ row: Row) throws {
        var field = TypingField(try TestForm("{'name':'f',\(row["field"])}").schema)
        try field.press(row["keys"])
        let shown = row["shown"].contains("|") ? field.shownWithCaret : field.shown
        #expect(shown == row["shown"])
        #expect(field.value == row["value"])
        #expect(field.refused.sorted() == row["refused"].sorted())
    }

    /// A mark joins the character before it, which is another one then.
    @Test func marksJoin() throws {
        var field = TypingField(try TestForm("{'name':'f','mask':'CC-##'}").schema)
        try field.press("e")
        let json = written {
            let edit = TypedEdit(text: "E", value: "e", from: 1, to: 1, isComposed: false)
            _ = field.form.writeTyped("E\u{301}", caret: 2, after: edit, inField: "f", cardNumber: "", into: &$0)
        }
        #expect(json.contains("\"text\":\"E\u{301}\",\"value\":\"E\u{301}\",\"caret\":2"), "\(json)")
    }

    /// One that is put in first joins what stands there. What they make is taken where a slot takes it; else the mark is left out, and
    /// what stood there stays.
    @Test(
        arguments: [
            ("'mask':'####'", "1", "\u{301}2", "12|", "12"),
            ("'mask':'####'", "1", "\u{301}", "1|", "1"),
            ("'mask':'####'", "12<Left>", "\u{301}3", "13|2", "132"),
            ("'mask':'####'", "123<Left>", "\u{301}.4", "124|3", "1243"),
            ("'mask':'####'", "12<All>", "\u{301}3", "3|", "3"),
            ("'mask':'##-##'", "12", "\u{301}3", "12-3|", "123"),
            ("'mask':'##-##'", "12-", "\u{301}3", "12-3|", "123"),
            ("'mask':'CC-##'", "kl4", "\u{301}2", "KL-42|", "kl42"),
            ("'type':'expDate'", "12", "\u{301}31", "12/31|", "1231"),
            ("'type':'cardNumber'", "4111", "\u{301}1", "4111 1|", "41111"),
            ("'type':'cvc'", "12", "\u{20E3}3", "123|", "123"),
            ("'mask':[{'pattern':'^[!-/]$'},{'pattern':'[0-9]'}]", "!", "\u{301}", "!|", "!"),
            ("'mask':'CC-##'", "e", "\u{301}", "E\u{301}|", "E\u{301}"),
            ("'mask':'CC-##'", "e", "\u{301}k", "E\u{301}K|", "E\u{301}k"),
            ("'formatPattern':'@@@'", "e", "\u{301}a", "e\u{301}a|", "e\u{301}a"),
            ("'type':'cardHolderName'", "Jose", "\u{301} Li", "Jose\u{301} Li|", "Jose\u{301} Li"),
            ("'type':'cardHolderName'", "N7", "\u{301}", "N7\u{301}|", "N7\u{301}"),
        ], [false, true])
    func marksComeFirst(
        _ row: (field: String, before: String, input: String, shown: String, value: String), isComposed: Bool
    ) throws {
        var field = TypingField(try TestForm("{'name':'f',\(row.field)}").schema)
        try field.press(row.before)
        try field.insert(row.input, isComposed: isComposed)
        let shown = row.shown.split(separator: "|", omittingEmptySubsequences: false)
        #expect(field.shown == shown.joined() && field.from == shown[0].count)
        #expect(field.value == row.value)
    }

    /// One that is put in the place of a selection: what was selected goes if something else comes for it.
    @Test(
        arguments: [
            ("'mask':'####'", "123", 1, 2, "\u{301}", "123", "123", "1\u{301}"),
            ("'mask':'####'", "123", 1, 3, "\u{301}", "123", "123", "1\u{301}"),
            ("'mask':'####'", "123", 1, 2, "\u{301}4", "143", "143", ""),
            ("'mask':'##-##'", "123", 2, 4, "\u{301}", "12-3", "123", "2\u{301}"),
            ("'type':'cardNumber'", "4111111", 1, 8, "\u{301}", "4111 111", "4111111", "4\u{301}"),
            ("'mask':'CC-##'", "ek", 1, 2, "\u{301}", "E\u{301}", "E\u{301}", ""),
        ], [false, true])
    func marksOverASelection(
        _ row: (
            field: String, before: String, from: Int, to: Int, input: String, shown: String, value: String,
            refused: String
        ), isComposed: Bool
    ) throws {
        var field = TypingField(try TestForm("{'name':'f',\(row.field)}").schema)
        try field.press(row.before)
        field.select(row.from, row.to)
        try field.insert(row.input, isComposed: isComposed)
        #expect(field.shown == row.shown && field.value == row.value && field.refused == row.refused)
    }

    /// A browser that changes the text beside its selection, or everywhere. The text before is `120-3`, the caret at its end.
    @Test(arguments: [
        ("120-|", "12|"), ("125|0-3", "120-5|3"), ("1|-3", "1|3"), ("999|", "990-9|"), ("|999", "|990-9"),
        ("120-3|", "120-3|"),
        ("12|0-3", "120-3|"), ("120-34|", "120-34|"), ("|", "|"),
        ("1\u{301}|20-3", "1|20-3"), ("12\u{301}20|-3", "120-2|3"),
    ])
    func changesBesideTheSelection(_ after: String, _ shown: String) throws {
        let form = try TestForm("{'name':'f','mask':'##0-##'}").schema
        let edit = TypedEdit(text: "120-3", value: "123", from: 5, to: 5, isComposed: false)
        let parts = after.split(separator: "|", omittingEmptySubsequences: false)
        let json = written {
            _ = form.writeTyped(
                parts.joined(), caret: parts[0].count, after: edit, inField: "f", cardNumber: "", into: &$0)
        }
        let typed = try #require(JSONValue.parse(Array(json.utf8)).object)
        let expected = shown.split(separator: "|", omittingEmptySubsequences: false)
        #expect(typed["text"]?.string == expected.joined())
        if case .number(let caret)? = typed["caret"] { #expect(caret.int == expected[0].count) }
    }

    /// A character that has no place, put in away from the selection: before one that begins as it does, or over a literal.
    @Test(arguments: [("1\u{301}120-3", 2, "1\u{301}"), ("120\u{301}-3", 4, "0\u{301}")])
    func joinedElsewhere(_ text: String, caret: Int, refused: String) throws {
        let form = try TestForm("{'name':'f','mask':'##0-##'}").schema
        let edit = TypedEdit(text: "120-3", value: "123", from: 5, to: 5, isComposed: false)
        let json = written {
            _ = form.writeTyped(text, caret: caret, after: edit, inField: "f", cardNumber: "", into: &$0)
        }
        #expect(try JSONValue.parse(Array(json.utf8)).object?["refused"]?.string == refused, "\(json)")
    }

    /// The rules of the form are others now: the value stays.
    @Test func rulesChange() throws {
        let edit = TypedEdit(text: "120-3", value: "123", from: 5, to: 5, isComposed: false)
        for (mask, shown) in [("+1 ####", "+1 123"), ("##", "123"), ("##0-##", "120-3")] {
            let form = try TestForm("{'name':'f','mask':'\(mask)'}").schema
            let json = written {
                _ = form.writeTyped("120-3", caret: 5, after: edit, inField: "f", cardNumber: "", into: &$0)
            }
            #expect(json.hasPrefix("{\"text\":\"\(shown)\",\"value\":\"123\""), "\(json)")
        }
        // Text that is in neither, as where an undo puts it back under other rules.
        let other = try TestForm("{'name':'f','mask':'####'}").schema
        for text in ["12/3", "1\u{301}20-3"] {
            let json = written {
                _ = other.writeTyped(text, caret: 4, after: edit, inField: "f", cardNumber: "", into: &$0)
            }
            #expect(try JSONValue.parse(Array(json.utf8)).object?["value"]?.string != nil, "\(json)")
        }
    }

    @Test func codesFollowTheirCard() throws {
        var code = TypingField(try TestForm("{'name':'n','type':'cardNumber'},{'name':'f','type':'cvc'}").schema)
        code.cardNumber = "34"
        try code.press("1234")
        #expect(code.value == "1234")
        code.cardNumber = "4111"
        try code.reshape()
        #expect(code.value == "1234")
        // No other joins the one that finds no place.
        try code.press("5")
        #expect(code.value == "1234" && code.refused == "45")
        try code.press("<Backspace>")
        #expect(code.value == "123")
    }
}
