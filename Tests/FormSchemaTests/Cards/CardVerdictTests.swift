import Testing

@testable import FormSchema

/// `docs/reference/fields.md` sections 5 and 10: when a card number is valid and whole, and what of it is shown.
@Suite struct CardVerdictTests {
    /// A number of each brand at every length: valid at the brand's lengths alone, BIN of eight or six by the brand.
    @Test(
        arguments: table(
            """
            brand | prefix | lengths | bin
            elo | 401178 | 16 | six
            visaElectron | 402600 | 16 | eight
            maestro | 501800 | 12 13 14 15 16 17 18 19 | eight
            forbrugsforeningen | 600123 | 16 | six
            dankort | 501912 | 16 | six
            visa | 453952 | 13 16 19 | eight
            mastercard | 510012 | 16 | eight
            amex | 371131 | 15 | six
            hipercard | 606282 | 14 15 16 17 18 19 | six
            dinersClub | 305537 | 14 16 17 18 19 | six
            discover | 601112 | 16 17 18 19 | six
            unionpay | 620012 | 16 17 18 19 | six
            jcb | 353012 | 16 17 18 19 | six
            unknown | 990012 | `` | six
            """))
    func validAtItsLengths(_ row: Row) throws {
        let lengths = row.list("lengths").compactMap { Int($0) }
        for length in 7...19 {
            let number = luhnNumber(row["prefix"], length: length)
            let result = try judge("'type':'cardNumber'", number)
            #expect(result.brand?.id == row["brand"])
            let isLong = length > result.brand?.pattern.slotCount ?? 0
            #expect(result.isValid == (lengths.contains(length) && !isLong), "\(length)")
            if !isLong { #expect(result.isMaskSatisfied == lengths.contains(length), "\(length)") }
            #expect(result.isComplete == result.isValid)
            let shown = row["bin"] == "six" ? 6 : length >= 16 ? 8 : 0
            #expect(result.bin == (result.isValid ? String(number.prefix(shown)) : ""), "\(length)")
            #expect(result.last4 == (result.isValid ? String(number.suffix(4)) : ""), "\(length)")
        }
    }

    @Test(
        arguments: table(
            """
            text | brand | formatted | errors | bin | last4
            `4539-5260 1815 9083` | visa | `4539 5260 1815 9083` | `` | 45395260 | 9083
            `4539526018159083` | visa | `4539 5260 1815 9083` | `` | 45395260 | 9083
            `4539526018159084` | visa | `4539 5260 1815 9084` | CARD_NUMBER | `` | ``
            `4539 5260 1815 9083 12345` | visa | `4539 5260 1815 9083 123` | DROPPED_INPUT CARD_NUMBER | `` | ``
            `4539526018159083x` | visa | `4539 5260 1815 9083 ` | DROPPED_INPUT | `` | ``
            `x4539526018159083` | visa | `4539 5260 1815 9083` | DROPPED_INPUT | `` | ``
            `\u{0664}4539526018159083` | visa | `4539 5260 1815 9083` | DROPPED_INPUT | `` | ``
            `🂡4539526018159083` | visa | `4539 5260 1815 9083` | `` | 45395260 | 9083
            `371131067924708` | amex | `3711 310679 24708` | `` | 371131 | 4708
            `3711310679247081` | amex | `3711 310679 24708` | DROPPED_INPUT | `` | ``
            `34` | amex | `34` | CARD_NUMBER | `` | ``
            `6200000000000005` | unionpay | `6200 0000 0000 0005` | `` | 620000 | 0005
            `6200000000000006` | unionpay | `6200 0000 0000 0006` | `` | 620000 | 0006
            `6220000000000006` | discover | `6220 0000 0000 0006` | CARD_NUMBER | `` | ``
            `` | unknown | `` | CARD_NUMBER | `` | ``
            `abc` | unknown | `` | DROPPED_INPUT CARD_NUMBER | `` | ``
            `- -` | unknown | `` | CARD_NUMBER | `` | ``
            `4539٥26018159083` | visa | `4539 2601 8159 083` | DROPPED_INPUT CARD_NUMBER | `` | ``
            """))
    func judgesNumbers(_ row: Row) throws {
        let result = try judge("'type':'cardNumber'", row["text"])
        #expect(result.brand?.id == row["brand"])
        #expect(result.formatted == row["formatted"])
        #expect(result.errors == row.errors())
        #expect(result.bin == row["bin"])
        #expect(result.last4 == row["last4"])
        #expect(result.hasHardError == result.errors.contains("DROPPED_INPUT_VALIDATION_ERROR"))
    }

    /// Digits alone are demanded by a checksum, and of a number of no brand.
    @Test(arguments: [("none", [String]()), ("luhn", ["CARD_NUMBER_VALIDATION_ERROR"])])
    func aBrandWithoutAChecksumIsKnownByItsLength(_ checksum: String, _ errors: [String]) throws {
        let brand =
            "{'name':'S','prefixes':['9'],'lengths':[9],'checksum':'\(checksum)','formatPattern':'@@#######'}"
        let result = try judge("'type':'cardNumber'", "AB9012345", top: "'cardBrands':{'custom':[\(brand)]},")
        #expect(result.brand?.id == "custom:S" && result.errors == errors)
    }

    /// A number of no brand is valid only where a rule says so, at the unknown lengths and with their checksum.
    @Test(
        arguments: table(
            """
            rules | top | text | errors | complete | bin
            `{'rule':'paymentCard'}` | `` | `9900000000000009` | CARD_NUMBER | no | ``
            `{'rule':'paymentCard','validateUnknownCardBrand':false}` | `` | `9900120000000008` | CARD_NUMBER | no | ``
            `{'rule':'paymentCard','validateUnknownCardBrand':true}` | `` | `9900120000000008` | `` | yes | 990012
            `{'rule':'paymentCard','validateUnknownCardBrand':true}` | `` | `9900120000000009` | CARD_NUMBER | no | ``
            `{'rule':'paymentCard','validateUnknownCardBrand':true}` | `` | `990012000000006` | CARD_NUMBER | no | ``
            `{'rule':'paymentCard','validateUnknownCardBrand':true}` | `'cardBrands':{'unknown':{'lengths':[5]}},` | `99994` | CARD_NUMBER | no | ``
            `{'rule':'paymentCard','validateUnknownCardBrand':true}` | `'cardBrands':{'unknown':{'lengths':[5],'checksum':'none'}},` | `99994` | `` | yes | 99994
            `{'rule':'luhnCheck'}` | `` | `9900120000000008` | `` | no | 990012
            `` | `` | `99` | `` | no | 99
            `{'rule':'lengthMatch','lengths':[16]},{'rule':'luhnCheck','error':'L'}` | `` | `99` | LENGTH_RANGE_MATCH =L | no | ``
            """))
    func judgesUnknownBrands(_ row: Row) throws {
        let result = try judge("'type':'cardNumber','validationRules':[\(row["rules"])]", row["text"], top: row["top"])
        #expect(result.brand?.id == "unknown")
        #expect(result.errors == row.errors())
        #expect(result.isComplete == row.flag("complete"))
        #expect(result.bin == row["bin"])
    }

    /// The rule on a field that is no card number detects the brand in the text itself.
    @Test(
        arguments: table(
            """
            text | errors
            `4539526018159083` | ``
            `371131067924708` | ``
            `4539 5260 1815 9083` | CARD_NUMBER
            `4539526018159084` | CARD_NUMBER
            `9900120000000008` | CARD_NUMBER
            `` | CARD_NUMBER
            `abc` | CARD_NUMBER
            """))
    func judgesNumbersInOtherFields(_ row: Row) throws {
        #expect(try judge("'validationRules':[{'rule':'paymentCard'}]", row["text"]).errors == row.errors())
    }

    @Test func codeWithPaymentCardRuleIsJudgedByItsOwnText() throws {
        let form = try TestForm(
            """
            {'name':'n','type':'cardNumber'},
            {'name':'c','type':'cvc','formatPattern':'################','validationRules':[{'rule':'paymentCard'}]}
            """)
        let texts: KeyValuePairs = ["n": "371131067924708", "c": "4539526018159083"]
        #expect(try form.evaluate(texts: texts).result("c").errors == [])
    }
}
