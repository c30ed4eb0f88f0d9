import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 5: `custom`, `valid` and `unknown`.
@Suite struct CustomBrandTests {
    @Test(
        arguments: table(
            """
            cardBrands | text | brand | name | errors
            `'custom':[{'name':'StoreCard','prefixes':['9100-9149','977'],'lengths':[16],'checksum':'none'}]` | `9100000000000001` | custom:StoreCard | StoreCard | ``
            `'custom':[{'name':'StoreCard','prefixes':['9100-9149','977'],'lengths':[16],'checksum':'none'}]` | `9770000000000001` | custom:StoreCard | StoreCard | ``
            `'custom':[{'name':'StoreCard','prefixes':['9100-9149','977'],'lengths':[16],'checksum':'none'}]` | `9149999999999999` | custom:StoreCard | StoreCard | ``
            `'custom':[{'name':'StoreCard','prefixes':['9100-9149','977'],'lengths':[16],'checksum':'none'}]` | `9150000000000001` | unknown | Unknown | CARD_NUMBER
            `'custom':[{'name':'StoreCard','prefixes':['9100-9149','977'],'lengths':[16],'checksum':'none'}]` | `4539526018159083` | visa | Visa | ``
            `'custom':[{'name':'visa','prefixes':['4'],'lengths':[16]}]` | `4026000000000002` | custom:visa | visa | ``
            `'custom':[{'name':'a','prefixes':['9'],'lengths':[4],'checksum':'none'},{'name':'b','prefixes':['99'],'lengths':[4],'checksum':'none'}]` | `9999` | custom:a | a | ``
            `'catalogue':'basisTheory','custom':[{'name':'a','prefixes':['6'],'lengths':[16],'checksum':'none'}]` | `6062820000000001` | custom:a | a | ``
            `'custom':[{'name':'z','prefixes':['0'],'lengths':[3],'checksum':'none'}]` | `007` | custom:z | z | ``
            `'custom':[{'name':'z','prefixes':['0012-0019'],'lengths':[4],'checksum':'none'}]` | `0015` | custom:z | z | ``
            `'custom':[{'name':'z','prefixes':['0012-0019'],'lengths':[4],'checksum':'none'}]` | `0020` | unknown | Unknown | CARD_NUMBER
            `'custom':[{'name':'l','prefixes':['9999999999999999999'],'lengths':[19],'checksum':'none'}]` | `9999999999999999999` | custom:l | l | ``
            `'custom':[{'name':'l','prefixes':['9999999999999999999'],'lengths':[19],'checksum':'none'}]` | `999999999999999999` | unknown | Unknown | CARD_NUMBER
            `'custom':[{'name':'s','prefixes':['9'],'lengths':[9]}]` | `900000000` | custom:s | s | CARD_NUMBER
            `'custom':[{'name':'s','prefixes':['9'],'lengths':[9]}]` | `900000001` | custom:s | s | ``
            `'custom':[{'name':'s','prefixes':['9'],'lengths':[8]}]` | `90000001` | custom:s | s | CARD_NUMBER
            `'custom':[{'name':'Ä b','prefixes':['9'],'lengths':[2],'checksum':'none'}]` | `91` | custom:Ä b | Ä b | ``
            `'valid':['custom:e\u{301}','custom:é'],'custom':[{'name':'é','prefixes':['9'],'lengths':[2],'checksum':'none'},{'name':'e\u{301}','prefixes':['8'],'lengths':[2],'checksum':'none'}]` | `81` | custom:e\u{301} | e\u{301} | ``
            `'valid':['visa']` | `4026000000000002` | visa | Visa | ``
            `'valid':['visa']` | `371131067924708` | unknown | Unknown | CARD_NUMBER
            `'valid':['visa','visaElectron']` | `4026000000000002` | visa | Visa | ``
            `'valid':['visaElectron','visa']` | `4026000000000002` | visaElectron | Visa Electron | ``
            `'valid':['unionpay','discover']` | `6220000000000006` | unionpay | UnionPay | ``
            `'valid':['hipercard']` | `6011000000000004` | unknown | Unknown | CARD_NUMBER
            `'valid':[]` | `4539526018159083` | unknown | Unknown | CARD_NUMBER
            `'valid':['visa'],'custom':[{'name':'a','prefixes':['4'],'lengths':[16]}]` | `4539526018159083` | visa | Visa | ``
            `'valid':['visa','custom:a'],'custom':[{'name':'a','prefixes':['4'],'lengths':[16]}]` | `4539526018159083` | visa | Visa | ``
            `'valid':['custom:a','visa'],'custom':[{'name':'a','prefixes':['4'],'lengths':[16]}]` | `4539526018159083` | custom:a | a | ``
            `'catalogue':'basisTheory','valid':['maestro','discover']` | `6011000000000004` | discover | Discover | ``
            `'catalogue':'basisTheory','valid':['maestro']` | `6011000000000004` | maestro | Maestro | ``
            """))
    func detects(_ row: Row) throws {
        let result = try judge("'type':'cardNumber'", row["text"], top: "'cardBrands':{\(row["cardBrands"])},")
        #expect(result.brand?.id == row["brand"])
        #expect(result.brand?.name == row["name"])
        #expect(result.errors == row.errors())
    }

    @Test func defaultsOfACustomBrand() throws {
        let form = try TestForm(
            "{'name':'n','type':'cardNumber'},{'name':'c','type':'cvc'}",
            top: "'cardBrands':{'custom':[{'name':'a','prefixes':['91'],'lengths':[16]}]},")
        let number = luhnNumber("91", length: 16)
        let evaluation = try form.evaluate("{'n':'\(number)','c':'1234'}")
        #expect(try evaluation.result("n").formatted == "9100 0000 0000 000\(number.suffix(1))")
        #expect(try evaluation.result("n").bin == "910000")
        #expect(try evaluation.result("n").isComplete)
        #expect(try evaluation.result("c").errors == ["DROPPED_INPUT_VALIDATION_ERROR"])
        #expect(try evaluation.result("c").raw == "123")
    }

    @Test func everythingOfACustomBrandCanBeSet() throws {
        let form = try TestForm(
            "{'name':'n','type':'cardNumber'},{'name':'c','type':'cvc'}",
            top: """
                'cardBrands':{'custom':[{'name':'a','prefixes':['91'],'lengths':[6],'cvcLengths':[2,5],\
                'formatPattern':'##-##-##','checksum':'none'}]},
                """)
        let evaluation = try form.evaluate("{'n':'910000','c':'12345'}")
        #expect(try evaluation.result("n").formatted == "91-00-00")
        #expect(try evaluation.result("n").bin == "910000")
        #expect(try evaluation.result("n").last4 == "", "shown from 12 digits on")
        #expect(try evaluation.result("c").isComplete)
        #expect(try !form.evaluate("{'n':'910000','c':'123'}").result("c").isValid)
        #expect(try form.evaluate("{'n':'910000','c':'12'}").result("c").isComplete)
    }

    /// Overrides of the table's last line.
    @Test func unknownBrandCanBeSet() throws {
        let form = try TestForm(
            """
            {'name':'n','type':'cardNumber','validationRules':[{'rule':'paymentCard','validateUnknownCardBrand':true}]},
            {'name':'c','type':'cvc'}
            """,
            top: """
                'cardBrands':{'unknown':{'lengths':[12],'cvcLengths':[5],'checksum':'none',\
                'formatPattern':'###### ######'}},
                """)
        let evaluation = try form.evaluate("{'n':'990000123456','c':'12345'}")
        #expect(try evaluation.result("n").formatted == "990000 123456")
        #expect(try evaluation.result("n").isComplete)
        #expect(try evaluation.result("n").bin == "990000")
        #expect(try evaluation.result("n").last4 == "3456")
        #expect(try evaluation.result("c").isComplete)
        #expect(try !form.evaluate("{'n':'990000123456','c':'1234'}").result("c").isValid)
        #expect(try form.evaluate("{'n':'4539526018159083','c':'123'}").result("c").isComplete)
    }
}
