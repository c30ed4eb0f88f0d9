import JSON
import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 2.
@Suite struct SubmissionTests {
    /// Accepted texts and what becomes of them.
    @Test(
        arguments: table(
            """
            json | raw
            `{}` | `{"a":"","b.c":""}`
            `{"fields":{}}` | `{"a":"","b.c":""}`
            `{"extraData":{}}` | `{"a":"","b.c":""}`
            `{"fields":{"a":"1"}}` | `{"a":"1","b.c":""}`
            `{"fields":{"b.c":"2","a":"1"}}` | `{"a":"1","b.c":"2"}`
            `{"extraData":{"z":1.10,"y":12345678901234567890123,"x":1e400,"w":-0,"v":1E+2}}` | `{"z":1.10,"y":12345678901234567890123,"x":1e400,"w":-0,"v":1E+2,"a":"","b.c":""}`
            `{"extraData":{"k.l":[null,true,{"m":"\\u00e9"}]},"fields":{}}` | `{"k.l":[null,true,{"m":"é"}],"a":"","b.c":""}`
            `{"extraData":{"a":{"deep":1},"b":2}}` | `{"a":"","b":2,"b.c":""}`
            `{"fields":{"a":"\\"\\\\\\n\\u0001/"}}` | `{"a":"\\"\\\\\\n\\u0001/","b.c":""}`
            """))
    func passes(_ row: Row) throws {
        let form = try TestForm("{'name':'a'},{'name':'b.c'}", top: "'fieldNameMappingPolicy':'flatJSON',")
        let submission = try Submission(JSONValue.parse(Array(row["json"].utf8)), for: form.schema)
        #expect(form.schema.evaluate(submission, today: try clock()).raw == row["raw"])
    }

    /// Refused texts: what the message names, and that it never shows a value.
    @Test(
        arguments: table(
            """
            json | names
            `[]` | array
            `"secret"` | string
            `null` | null
            `{"field":{}}` | field
            `{"fields":{},"more":"secret"}` | more
            `{"fields":null}` | fields
            `{"fields":[]}` | fields
            `{"fields":"secret"}` | fields
            `{"extraData":[]}` | extraData
            `{"extraData":null}` | extraData
            `{"extraData":"secret"}` | extraData
            `{"fields":{"a":4539526018159083}}` | `"a"`
            `{"fields":{"a":true}}` | `"a"`
            `{"fields":{"a":null}}` | `"a"`
            `{"fields":{"a":{"secret":"secret"}}}` | `"a"`
            `{"fields":{"b":"secret","a":["secret"]}}` | `"a"`
            """))
    func refuses(_ row: Row) throws {
        let form = try TestForm("{'name':'a'},{'name':'b'}")
        let value = try JSONValue.parse(Array(row["json"].utf8))
        do {
            _ = try Submission(value, for: form.schema)
            Issue.record("accepted")
        } catch .malformed(let message) {
            #expect(message.contains(row["names"]))
            #expect(!message.contains("secret") && !message.contains("4539"))
        } catch {
            Issue.record("\(error)")
        }
    }

    /// Whatever their values are.
    @Test func namesEveryUnknownField() throws {
        let form = try TestForm("{'name':'a'},{'name':'é'}")
        do {
            _ = try Submission(json("{'fields':{'x':1,'a':null,'e\u{301}':'3','':'4','A':'5'}}"), for: form.schema)
            Issue.record("accepted")
        } catch SubmissionError.unknownFields(let names) {
            #expect(names.map { Array($0.utf8) } == ["x", "e\u{301}", "", "A"].map { Array($0.utf8) })
        }
    }

    /// However they are printed, nothing of what was submitted comes out.
    @Test func printsNoValues() throws {
        let form = try TestForm("{'name':'a','tokenization':{}}")
        let submission = try Submission(json("{'fields':{'a':'secret'},'extraData':{'k':'secret'}}"), for: form.schema)
        let evaluation = form.schema.evaluate(submission, today: try clock())
        var dumped = ""
        dump(submission, to: &dumped)
        dump(evaluation, to: &dumped)
        dump(evaluation.aliasItems, to: &dumped)
        let texts = [
            "\(submission)", "\(evaluation)", String(reflecting: [evaluation]), "\(evaluation.aliasItems)", dumped,
        ]
        #expect(texts.allSatisfy { !$0.contains("secret") && !$0.isEmpty })
    }

    @Test func duplicateKeysAreRefused() {
        for text in [
            #"{"fields":{"a":"1","a":"2"}}"#, #"{"fields":{},"fields":{}}"#, #"{"extraData":{"k":{"l":1,"l":2}}}"#,
            #"{"fields":{"a":"1","\u0061":"2"}}"#,
        ] {
            #expect(throws: JSONError.self) { try JSONValue.parse(Array(text.utf8)) }
        }
    }
}
