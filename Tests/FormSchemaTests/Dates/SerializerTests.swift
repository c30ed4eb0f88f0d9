import Sensitive
import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 8: a dated field under several names.
@Suite struct SerializerTests {
    @Test(
        arguments: table(
            """
            spec | text | body | errors
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear'` | `09/31` | `{'m':'09','y':'2031'}` | ``
            `'type':'expDate'` | `09/31` | `{'m':'09','y':'31'}` | ``
            `'type':'expDate','formatPattern':'##/####','validationRules':[]` | `09/2029` | `{'m':'09','y':'2029'}` | ``
            `'type':'expDate','inputDateFormat':'longYear'` | `09/2031` | `{'m':'09','y':'2031'}` | ``
            `'type':'expDate','inputDateFormat':'shortYearThenMonth'` | `31/09` | `{'m':'09','y':'31'}` | ``
            `'type':'expDate','inputDateFormat':'longYearThenMonth'` | `2031/09` | `{'m':'09','y':'2031'}` | ``
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYearThenMonth'` | `09/31` | `{'m':'09','y':'2031'}` | ``
            `'type':'expDate','inputDateFormat':'longYear','outputDateFormat':'shortYearThenMonth'` | `09/2031` | `{'m':'09','y':'31'}` | ``
            `'type':'expDate','outputDateFormat':'longYearThenMonth'` | `09/31` | `{'m':'09','y':'31'}` | ``
            `'type':'expDate','divider':'::'` | `09/31` | `{'m':'09','y':'31'}` | ``
            `'type':'expDate','divider':''` | `09/31` | `{'m':'09','y':'31'}` | ``
            `'type':'expDate','validationRules':[]` | `13/31` | `{'m':'13','y':'31'}` | ``
            `'type':'expDate','validationRules':[]` | `09/3` | - | EXPIRATION_DATE
            `'type':'expDate'` | `09/3` | - | PATTERN EXPIRATION_DATE
            `'type':'expDate','validationRules':[{'rule':'cardExpirationDate','error':'OLD'}]` | `09` | - | =OLD EXPIRATION_DATE
            `'type':'expDate','formatPattern':'','validationRules':[]` | `0931/` | - | EXPIRATION_DATE
            `'type':'expDate','formatPattern':'','validationRules':[]` | `9/2031` | - | EXPIRATION_DATE
            `'type':'expDate','formatPattern':'','validationRules':[]` | `09\u{301}31` | - | EXPIRATION_DATE
            `'type':'expDate','formatPattern':'','validationRules':[]` | `soon` | - | EXPIRATION_DATE
            `'type':'expDate'` | `` | `{'m':'','y':''}` | PATTERN EXPIRATION_DATE
            `'type':'date'` | `05/11/2031` | `{'d':'11','m':'05','y':'2031'}` | ``
            `'type':'date','inputDateFormat':'ddmmyyyy'` | `11/05/2031` | `{'d':'11','m':'05','y':'2031'}` | ``
            `'type':'date','inputDateFormat':'yyyymmdd'` | `2031/05/11` | `{'d':'11','m':'05','y':'2031'}` | ``
            `'type':'date','inputDateFormat':'ddmmyyyy','outputDateFormat':'yyyymmdd'` | `11/05/2031` | `{'d':'11','m':'05','y':'2031'}` | ``
            `'type':'date','outputDateFormat':'yyyymmdd'` | `05/11/2031` | `{'d':'11','m':'05','y':'2031'}` | ``
            `'type':'date','divider':''` | `05/01/0031` | `{'d':'01','m':'05','y':'0031'}` | ``
            `'type':'date','validationRules':[]` | `02/30/2031` | - | DATE
            `'type':'date'` | `02/30/2031` | - | DATE
            `'type':'date','inputDateFormat':'ddmmyyyy','outputDateFormat':'yyyymmdd'` | `30/02/2031` | - | DATE
            `'type':'date'` | `05` | - | PATTERN DATE
            `'type':'date'` | `` | `{'d':'','m':'','y':''}` | PATTERN DATE
            """))
    func takesApart(_ row: Row) throws {
        let serializer =
            row["spec"].contains("expDate")
            ? "{'expDate':{'month':'m','year':'y'}}" : "{'date':{'day':'d','month':'m','year':'y'}}"
        let form = try TestForm("{'name':'f',\(row["spec"]),'serializers':[\(serializer)]}")
        let evaluation = try form.evaluate("{'f':'\(row["text"])'}")
        let result = try evaluation.result("f")
        #expect(result.errors == row.errors())
        if row["body"] == "-" {
            #expect(result.hasHardError)
            #expect(evaluation.refused?.requiredValid == ["f"])
        } else {
            #expect(evaluation.raw.replacing("\"", with: "'") == row["body"])
            #expect(!result.hasHardError)
        }
    }

    @Test func componentNamesObeyTheMappingPolicy() throws {
        let field = """
            {'name':'card.exp','type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear',
            'serializers':[{'expDate':{'month':'card.mm','year':'card.yyyy'}}]}
            """
        #expect(try TestForm(field).evaluate("{'card.exp':'09/31'}").raw == #"{"card":{"mm":"09","yyyy":"2031"}}"#)
        let flat = try TestForm(field, top: "'fieldNameMappingPolicy':'flatJSON',").evaluate("{'card.exp':'09/31'}")
        #expect(flat.raw == #"{"card.mm":"09","card.yyyy":"2031"}"#)
        let indexed = field.replacing("card.mm", with: "c[1].m").replacing("card.yyyy", with: "c[0].y")
        let arrays = try TestForm(indexed, top: "'fieldNameMappingPolicy':'nestedJSONWithArrayMerge',")
        #expect(try arrays.evaluate("{'card.exp':'09/31'}").raw == #"{"c":[{"y":"2031"},{"m":"09"}]}"#)
    }

    @Test func severalSerializersAndTokenization() throws {
        let form = try TestForm(
            """
            {'name':'e','type':'expDate','tokenization':{'format':'RAW_UUID','classifiers':['x']},
            'serializers':[{'expDate':{'month':'a','year':'b'}},{'expDate':{'year':'d','month':'c'}}]}
            """)
        let evaluation = try form.evaluate("{'e':'09/31'}")
        #expect(evaluation.refusal == nil)
        #expect(evaluation.aliasItems.map(\.fieldName) == ["a", "b", "c", "d"])
        #expect(evaluation.aliasItems.map(\.value.exposed) == ["09", "31", "09", "31"])
        #expect(evaluation.aliasItems.allSatisfy { $0.format == "RAW_UUID" && $0.storage == .persistent })
        #expect(evaluation.aliasItems.allSatisfy { $0.classifiers == ["x"] })
        #expect(try evaluation.redacted() == #"{"a":"<a>","b":"<b>","c":"<c>","d":"<d>"}"#)
        #expect(evaluation.data == #"{"a":"<a>","b":"<b>","c":"<c>","d":"<d>"}"#)
        let empty = try form.evaluate("{}")
        #expect(empty.aliasItems.isEmpty)
        #expect(empty.data == "{}")
        #expect(empty.raw == #"{"a":"","b":"","c":"","d":""}"#)
    }

    /// A format that takes no component of two digits stops the request.
    @Test func formatMustTakeEveryComponent() throws {
        let form = try TestForm(
            """
            {'name':'e','type':'date','tokenization':{'format':'NUM_LENGTH_PRESERVING'},
            'serializers':[{'date':{'day':'d','month':'m','year':'y'}}]}
            """)
        let evaluation = try form.evaluate("{'e':'05/11/2031'}")
        #expect(try evaluation.result("e").errors == ["ALIAS_FORMAT_VALIDATION_ERROR"])
        #expect(evaluation.refused?.requiredValid == ["e"])
        #expect(try form.evaluate("{}").refusal == nil)
    }
}
