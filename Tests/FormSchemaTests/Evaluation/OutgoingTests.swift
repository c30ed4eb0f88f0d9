import JSON
import Sensitive
import Testing

@testable import FormSchema

/// `docs/reference/vault-api.md` section 7 and `docs/reference/proxy.md` section 2: what goes to the vault, to an upstream and back to the client.
@Suite struct OutgoingTests {
    private static let card = """
        {'name':'card.pan','type':'cardNumber','tokenization':{}},{'name':'card.exp','type':'expDate'},
        {'name':'card.code','type':'cvc','tokenization':{'format':'UUID'}}
        """

    /// The example of `docs/reference/proxy.md` section 2.
    @Test func bodiesOfTheReference() throws {
        let evaluation = try TestForm(Self.card).evaluate(
            "{'card.pan':'4539 6001 6659 4134','card.exp':'0931','card.code':'321'}",
            extraData: "{'order':{'id':17},'card':{'holder':'Ann Li'}}")
        #expect(
            evaluation.raw == """
                {"order":{"id":17},"card":{"holder":"Ann Li","pan":"4539600166594134","exp":"09/31","code":"321"}}
                """)
        #expect(
            try evaluation.redacted() == """
                {"order":{"id":17},"card":{"holder":"Ann Li","pan":"<card.pan>","exp":"09/31","code":"<card.code>"}}
                """)
    }

    /// The example of `docs/reference/vault-api.md` section 7.
    @Test func answerOfTheReference() throws {
        let form = try TestForm(
            """
            {'name':'card.number','type':'cardNumber','tokenization':{}},
            {'name':'card.exp','type':'expDate','serializers':[{'expDate':{'month':'exp.m','year':'exp.y'}}]},
            {'name':'card.cvc','type':'cvc'},{'name':'owner','type':'cardHolderName','tokenization':{}}
            """)
        let evaluation = try form.evaluate(
            "{'card.number':'4539 6001 6659 4134','card.exp':'09/31','card.cvc':'321','owner':''}")
        #expect(evaluation.data == #"{"card.number":"<card.number>","exp.m":"09","exp.y":"31"}"#)
        #expect(evaluation.aliasItems.map(\.value.exposed) == ["4539600166594134"])
    }

    /// One field of each kind, with a text and empty, with and without `omitEmptyFields`.
    @Test(
        arguments: table(
            """
            spec | text | raw | redacted | data
            `'type':'none'` | `x` | `{"f":"x"}` | `{"f":"x"}` | `{"f":"x"}`
            `'type':'none'` | `` | `{"f":""}` | `{"f":""}` | `{"f":""}`
            `'type':'none','tokenization':{}` | `x` | `{"f":"x"}` | `{"f":"<f>"}` | `{"f":"<f>"}`
            `'type':'none','tokenization':{}` | `` | `{"f":""}` | `{"f":""}` | `{}`
            `'type':'cardNumber'` | `4539526018159083` | `{"f":"4539526018159083"}` | `{}` | `{}`
            `'type':'cardNumber'` | `` | `{"f":""}` | `{"f":""}` | `{}`
            `'type':'cardNumber','tokenization':{}` | `4539526018159083` | `{"f":"4539526018159083"}` | `{"f":"<f>"}` | `{"f":"<f>"}`
            `'type':'cardNumber','tokenization':{}` | `` | `{"f":""}` | `{"f":""}` | `{}`
            `'type':'cvc'` | `321` | `{"f":"321"}` | `{}` | `{}`
            `'type':'cvc'` | `` | `{"f":""}` | `{"f":""}` | `{}`
            `'type':'cvc','tokenization':{}` | `321` | `{"f":"321"}` | `{"f":"<f>"}` | `{"f":"<f>"}`
            `'type':'ssn'` | `219099999` | `{"f":"219-09-9999"}` | `{"f":"219-09-9999"}` | `{"f":"219-09-9999"}`
            `'type':'ssn','tokenization':{}` | `219099999` | `{"f":"219-09-9999"}` | `{"f":"<f>"}` | `{"f":"<f>"}`
            `'type':'expDate','serializers':[{'expDate':{'month':'m','year':'y'}}]` | `09/31` | `{"m":"09","y":"31"}` | `{"m":"09","y":"31"}` | `{"m":"09","y":"31"}`
            `'type':'expDate','serializers':[{'expDate':{'month':'m','year':'y'}}]` | `` | `{"m":"","y":""}` | `{"m":"","y":""}` | `{"m":"","y":""}`
            `'type':'date','tokenization':{},'serializers':[{'date':{'day':'d','month':'m','year':'y'}}]` | `05/11/2031` | `{"d":"11","m":"05","y":"2031"}` | `{"d":"<d>","m":"<m>","y":"<y>"}` | `{"d":"<d>","m":"<m>","y":"<y>"}`
            `'type':'date','tokenization':{},'serializers':[{'date':{'day':'d','month':'m','year':'y'}}]` | `` | `{"d":"","m":"","y":""}` | `{"d":"","m":"","y":""}` | `{}`
            `'type':'file'` | `AAEC` | `{"f":"AAEC"}` | `{"f":"AAEC"}` | `{}`
            `'mask':'##-##','transform':{'matcher':'-'}` | `1234` | `{"f":"1234"}` | `{"f":"1234"}` | `{"f":"1234"}`
            `'mask':'##-##'` | `1234` | `{"f":"12-34"}` | `{"f":"12-34"}` | `{"f":"12-34"}`
            `'formatPattern':'##-##','divider':'/'` | `1234` | `{"f":"12/34"}` | `{"f":"12/34"}` | `{"f":"12/34"}`
            `'formatPattern':'##-##'` | `1234` | `{"f":"1234"}` | `{"f":"1234"}` | `{"f":"1234"}`
            """))
    func sends(_ row: Row) throws {
        let field = "{'name':'f',\(row["spec"])}"
        let evaluation = try TestForm(field).evaluate("{'f':'\(row["text"])'}")
        #expect(evaluation.refusal == nil)
        #expect(evaluation.raw == row["raw"])
        #expect(try evaluation.redacted() == row["redacted"])
        #expect(evaluation.data == row["data"])
        let omitting = try TestForm(field, top: "'omitEmptyFields':true,").evaluate("{'f':'\(row["text"])'}")
        #expect(omitting.raw == (row["text"].isEmpty ? "{}" : row["raw"]))
        #expect(try omitting.redacted() == (row["text"].isEmpty ? "{}" : row["redacted"]))
        #expect(omitting.data == (row["text"].isEmpty ? "{}" : row["data"]))
    }

    /// Default formats and storage, and what may be changed.
    @Test(
        arguments: table(
            """
            type | spec | text | format | storage
            none | `{}` | `x` | UUID | PERSISTENT
            cardHolderName | `{}` | `Ann Li` | UUID | PERSISTENT
            date | `{}` | `05/11/2031` | UUID | PERSISTENT
            cardNumber | `{}` | `4539526018159083` | FPE_SIX_T_FOUR | PERSISTENT
            cvc | `{}` | `321` | UUID | VOLATILE
            expDate | `{}` | `09/31` | UUID | PERSISTENT
            ssn | `{}` | `219099999` | UUID | PERSISTENT
            none | `{'storage':'VOLATILE','format':'RAW_UUID'}` | `x` | RAW_UUID | VOLATILE
            cardHolderName | `{'storage':'VOLATILE'}` | `Ann Li` | UUID | VOLATILE
            date | `{'storage':'VOLATILE'}` | `05/11/2031` | UUID | VOLATILE
            cardNumber | `{'storage':'PERSISTENT','format':'UUID'}` | `4539526018159083` | UUID | PERSISTENT
            cvc | `{'storage':'VOLATILE','format':'NUM_LENGTH_PRESERVING'}` | `321` | NUM_LENGTH_PRESERVING | VOLATILE
            expDate | `{'storage':'PERSISTENT'}` | `09/31` | UUID | PERSISTENT
            ssn | `{'format':'RAW_UUID'}` | `219099999` | RAW_UUID | PERSISTENT
            """))
    func aliasItems(_ row: Row) throws {
        let form = try TestForm("{'name':'f','type':'\(row["type"])','tokenization':\(row["spec"])}")
        let items = try form.evaluate("{'f':'\(row["text"])'}").aliasItems
        #expect(items.count == 1)
        #expect(items.first?.format == row["format"])
        #expect(items.first?.storage.rawValue == row["storage"])
        #expect(items.first?.classifiers == [])
        #expect(try form.evaluate("{}").aliasItems.isEmpty)
    }

    /// Aliases go by position: another number of them makes no body at all.
    @Test func aliasesMustBeAsManyAsItems() throws {
        let evaluation = try TestForm(Self.card).evaluate("{'card.pan':'4539600166594134','card.code':'321'}")
        for count in [0, 1, 3] {
            let aliases = [String](repeating: "alias", count: count)
            #expect(evaluation.redactedBody(aliases: aliases) == nil)
            var writer = JSONWriter()
            let isWritten = evaluation.writeResult(aliases: aliases, into: &writer)
            #expect(!isWritten)
            #expect(writer.bytes.isEmpty)
        }
        let swapped = evaluation.redactedBody(aliases: ["321", "4539600166594134"]) ?? []
        #expect(
            String(decoding: swapped, as: UTF8.self)
                == #"{"card":{"pan":"321","exp":"","code":"4539600166594134"}}"#)
    }

    /// A reply that an offline evaluation shows: placeholders, and texts only if it reveals.
    @Test func offlineReportHidesTexts() throws {
        let evaluation = try TestForm(Self.card + ",{'name':'owner'},{'name':'note'}").evaluate(
            "{'card.pan':'4539600166594134','card.exp':'0931','owner':'Ann'}")
        let hidden = written {
            $0.beginObject()
            evaluation.writeOutgoing(to: .vgs, reveals: false, into: &$0)
            $0.endObject()
        }
        #expect(
            hidden == """
                {"payload":{"card":{"pan":{"alias":"FPE_SIX_T_FOUR"},"exp":{"withheld":"card.exp"},"code":""},\
                "owner":{"withheld":"owner"},"note":""},\
                "aliasRequest":[{"fieldName":"card.pan","format":"FPE_SIX_T_FOUR","storage":"PERSISTENT"}],\
                "result":{"card.pan":{"alias":"FPE_SIX_T_FOUR"},"card.exp":{"withheld":"card.exp"},\
                "owner":{"withheld":"owner"},"note":""}}
                """)
        let shown = written {
            $0.beginObject()
            evaluation.writeOutgoing(to: .vgs, reveals: true, into: &$0)
            $0.endObject()
        }
        #expect(
            shown == """
                {"payload":{"card":{"pan":"4539600166594134","exp":"09/31","code":""},"owner":"Ann","note":""},\
                "aliasRequest":[{"fieldName":"card.pan","format":"FPE_SIX_T_FOUR","storage":"PERSISTENT",\
                "value":"4539600166594134"}],\
                "result":{"card.pan":{"alias":"FPE_SIX_T_FOUR"},"card.exp":"09/31","owner":"Ann","note":""}}
                """)
    }
}
