import JSON
import Testing

@testable import FormSchema

/// What a client is told of a form so that it can draw it.
@Suite struct DescriptionTests {
    private static func description(_ fields: String, top: String = "") throws -> JSONObject {
        let form = try TestForm(fields, top: top).schema
        return try #require(JSONValue.parse(Array(written { form.writeDescription(into: &$0) }.utf8)).object)
    }

    @Test func summary() throws {
        let named = try TestForm("{'name':'a'}", top: "'title':'Check \\\"out',").schema
        #expect(written { named.writeSummary(into: &$0) } == #"{"form":"f","title":"Check \"out"}"#)
        let plain = try TestForm("{'name':'a'}").schema
        #expect(written { plain.writeSummary(into: &$0) } == #"{"form":"f","title":null}"#)
    }

    /// Members of a field, written as JSON; `-` where the field has no such member.
    @Test(
        arguments: table(
            """
            spec | formatPattern | divider | maxInputLength | inputMode | autocomplete | isTokenized
            `` | `""` | `""` | - | `"text"` | `"on"` | `false`
            `'type':'cardNumber','tokenization':{}` | `"#### #### #### #### ###"` | `""` | - | `"numeric"` | `"cc-number"` | `true`
            `'type':'expDate'` | `"##/##"` | `"/"` | - | `"numeric"` | `"cc-exp"` | `false`
            `'type':'date','divider':'.'` | `"##-##-####"` | `"."` | - | `"numeric"` | `"off"` | `false`
            `'type':'cvc','maxInputLength':4` | `"####"` | `""` | `4` | `"numeric"` | `"cc-csc"` | `false`
            `'type':'cardHolderName'` | `""` | `""` | - | `"text"` | `"cc-name"` | `false`
            `'type':'ssn'` | `"###-##-####"` | `"-"` | - | `"numeric"` | `"off"` | `false`
            `'type':'file'` | - | - | - | `"text"` | `"off"` | `false`
            `'validationRules':[{'rule':'email'}]` | `""` | `""` | - | `"email"` | `"email"` | `false`
            `'mask':'##'` | - | - | - | `"numeric"` | `"on"` | `false`
            `'mask':'##-c'` | - | - | - | `"text"` | `"on"` | `false`
            `'mask':'--'` | - | - | - | `"text"` | `"on"` | `false`
            `'formatPattern':'#####'` | `"#####"` | `""` | - | `"numeric"` | `"on"` | `false`
            `'type':'ssn','formatPattern':'@@-##'` | `"@@-##"` | `"-"` | - | `"text"` | `"off"` | `false`
            `'type':'cvc','validationRules':[]` | `"####"` | `""` | - | `"numeric"` | `"cc-csc"` | `false`
            """))
    func fields(_ row: Row) throws {
        let spec = row["spec"].isEmpty ? "" : "," + row["spec"]
        let fields = try Self.description("{'name':'f','isRequired':true\(spec)}")["fields"]?.array
        let field = try #require(fields?.first?.object)
        #expect(field["fieldName"]?.string == "f")
        for column in ["formatPattern", "divider", "maxInputLength", "inputMode", "autocomplete", "isTokenized"] {
            let value = field[column].map { value in written { $0.value(value) } } ?? "-"
            #expect(value == row[column], "\(column)")
        }
    }

    /// A keyboard's key goes to the next field, or ends the form (`docs/reference/browser.md` section 4).
    @Test func enterKeyHints() throws {
        let fields = try Self.description("{'name':'a'},{'name':'b','type':'cvc'},{'name':'c'}")["fields"]?.array
        #expect(fields?.map { $0.object?["enterKeyHint"]?.string } == ["next", "next", "done"])
    }

    /// A code is drawn as it will be judged while there is no number.
    @Test(arguments: [("", "###"), (",'validationRules':[]", "####")])
    func codesFollowTheUnknownBrandByDefaultRulesAlone(_ rules: String, _ pattern: String) throws {
        let fields = try Self.description(
            "{'name':'n','type':'cardNumber'},{'name':'c','type':'cvc'\(rules)}",
            top: "'cardBrands':{'unknown':{'cvcLengths':[3]}},")["fields"]?.array
        #expect(fields?.last?.object?["formatPattern"]?.string == pattern)
    }

    /// The sample that `check` shows, and what of it the form would refuse.
    @Test(
        arguments: table(
            """
            fields | top | shown
            `{'name':'n','type':'cardNumber','isRequiredValidOnly':true},{'name':'c','type':'cvc','isRequiredValidOnly':true}` | `` | `{"fields":{"n":"4111 1111 1111 1111","c":"123"}}`
            `{'name':'n','type':'cardNumber','isRequiredValidOnly':true},{'name':'c','type':'cvc','isRequiredValidOnly':true}` | `'cardBrands':{'valid':['amex']},` | `{"fields":{"n":"340000000000009","c":"1234"}}`
            `{'name':'a','isRequiredValidOnly':true,'validationRules':[{'rule':'pattern','pattern':'^x{40}$'}]},{'name':'b'}` | `` | `{"fields":{"a":"text","b":"text"}}  (to be changed: "a")`
            `{'name':'a','isRequiredValidOnly':true,'validationRules':[{'rule':'luhnCheck'}]},{'name':'b'}` | `` | `{"fields":{"a":"011000015","b":"text"}}`
            `{'name':'i','validationRules':[{'rule':'iban'}]},{'name':'f','type':'file','file':{'contentTypes':['application/pdf'],'maxBytes':99}}` | `` | `{"fields":{"i":"DE89370400440532013000","f":"JVBERi0xLjc="}}`
            `{'name':'s','mask':'##-##'}` | `` | `{"fields":{"s":"11-11"}}`
            `{'name':'d','type':'expDate','isRequiredValidOnly':true}` | `` | `{"fields":{"d":"12/30"}}`
            """))
    func samples(_ row: Row) throws {
        #expect(try TestForm(row["fields"], top: row["top"]).schema.tableLines.last == "  try: \(row["shown"])")
    }

    @Test func namesOfFieldsCannotBreakTheTable() throws {
        let form = try TestForm("{'name':'a\\nb\\u001b[31m'}").schema
        #expect(form.tableLines.allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }

    @Test func maskIsWrittenAsItsList() throws {
        let fields = try Self.description(
            "{'name':'f','mask':'(#c'},{'name':'g','mask':[{'pattern':'x','case':'upper'}]}")
        let masks = fields["fields"]?.array?.compactMap { $0.object?["mask"] }.map { mask in
            written { $0.value(mask) }
        }
        #expect(
            masks == [
                #"["(",{"pattern":"[0-9]"},{"pattern":"\\p{L}","case":"lower"}]"#, #"[{"pattern":"x","case":"upper"}]"#,
            ])
    }

    @Test func brandsComeWithACardNumberOnly() throws {
        #expect(try Self.description("{'name':'a','type':'cvc'}")["cardBrands"] == nil)
        let brands = try Self.description("{'name':'a','type':'cardNumber'}")["cardBrands"]?.object
        #expect(brands?["brands"]?.array?.count == 14)
        let first = try #require(brands?["brands"]?.array?[5].object)
        #expect(
            written { $0.value(.object(first)) } == """
                {"cardBrand":"visa","cardBrandName":"Visa","prefixes":["4"],"lengths":[13,16,19],"cvcLengths":[3],\
                "formatPattern":"#### #### #### #### ###","gaps":[4,8,12,16],"checksum":"luhn"}
                """)
    }
}
