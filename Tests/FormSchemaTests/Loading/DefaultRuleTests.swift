import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 4: what a field without further keys makes of a text.
@Suite struct DefaultRuleTests {
    @Test(
        arguments: table(
            """
            type | text | raw | output | errors
            none | `anything ü 😀` | `anything ü 😀` | `anything ü 😀` | ``
            none | `` | `` | `` | ``
            cardNumber | `4539 5260 1815 9083` | `4539526018159083` | `4539526018159083` | ``
            cardNumber | `` | `` | `` | CARD_NUMBER
            expDate | `09/31` | `0931` | `09/31` | ``
            expDate | `0931` | `0931` | `09/31` | ``
            expDate | `09-31` | `0931` | `09/31` | ``
            expDate | `09 / 31` | `0931` | `09/31` | ``
            expDate | `1331` | `1331` | `13/31` | PATTERN EXPIRATION_DATE
            expDate | `0031` | `0031` | `00/31` | PATTERN EXPIRATION_DATE
            expDate | `1026` | `1026` | `10/26` | EXPIRATION_DATE
            expDate | `1126` | `1126` | `11/26` | ``
            expDate | `7/29` | `729` | `72/9` | PATTERN EXPIRATION_DATE
            expDate | `07/29` | `0729` | `07/29` | ``
            expDate | `09/2031` | `0920` | `09/20` | DROPPED_INPUT EXPIRATION_DATE
            expDate | `` | `` | `` | PATTERN EXPIRATION_DATE
            date | `05/11/2031` | `05112031` | `05/11/2031` | ``
            date | `05-11-2031` | `05112031` | `05/11/2031` | ``
            date | `02/29/2023` | `02292023` | `02/29/2023` | DATE
            date | `02/29/2024` | `02292024` | `02/29/2024` | ``
            date | `13/01/2031` | `13012031` | `13/01/2031` | DATE
            date | `051131` | `051131` | `05/11/31` | DATE
            date | `0511` | `0511` | `05/11` | PATTERN DATE
            date | `` | `` | `` | PATTERN DATE
            cvc | `321` | `321` | `321` | ``
            cvc | `3210` | `3210` | `3210` | ``
            cvc | `32` | `32` | `32` | LENGTH_RANGE_MATCH
            cvc | `32105` | `3210` | `3210` | DROPPED_INPUT
            cvc | `3 2-1` | `321` | `321` | ``
            cvc | `12a` | `12` | `12` | DROPPED_INPUT LENGTH_RANGE_MATCH
            cvc | `` | `` | `` | LENGTH_RANGE_MATCH
            cardHolderName | `Ann Li` | `Ann Li` | `Ann Li` | ``
            cardHolderName | `Zoë` | `Zoë` | `Zoë` | PATTERN
            cardHolderName | `  ` | `  ` | `  ` | ``
            cardHolderName | ` ` | ` ` | ` ` | PATTERN
            cardHolderName | `A` | `A` | `A` | PATTERN
            cardHolderName | `O-Hara, J. 3rd` | `O-Hara, J. 3rd` | `O-Hara, J. 3rd` | ``
            cardHolderName | `O'Hara` | `O'Hara` | `O'Hara` | ``
            cardHolderName | `Ann_Li` | `Ann_Li` | `Ann_Li` | PATTERN
            cardHolderName | `Ann\tLi` | `Ann\tLi` | `Ann\tLi` | PATTERN
            cardHolderName | `Ann Li␤` | `Ann Li␤` | `Ann Li␤` | PATTERN
            cardHolderName | `Ann\u{2019}s` | `Ann\u{2019}s` | `Ann\u{2019}s` | PATTERN
            cardHolderName | `` | `` | `` | PATTERN
            ssn | `219-09-9999` | `219099999` | `219-09-9999` | ``
            ssn | `219099999` | `219099999` | `219-09-9999` | ``
            ssn | `219 09 9999` | `219099999` | `219-09-9999` | ``
            ssn | `000-09-9999` | `000099999` | `000-09-9999` | PATTERN
            ssn | `666-09-9999` | `666099999` | `666-09-9999` | PATTERN
            ssn | `667-09-9999` | `667099999` | `667-09-9999` | ``
            ssn | `900-09-9999` | `900099999` | `900-09-9999` | PATTERN
            ssn | `899-09-9999` | `899099999` | `899-09-9999` | ``
            ssn | `219-00-9999` | `219009999` | `219-00-9999` | PATTERN
            ssn | `219-09-0000` | `219090000` | `219-09-0000` | PATTERN
            ssn | `001-01-0001` | `001010001` | `001-01-0001` | ``
            ssn | `219-09-999` | `21909999` | `219-09-999` | PATTERN
            ssn | `` | `` | `` | PATTERN
            """))
    func judges(_ row: Row) throws {
        let result = try judge("'type':'\(row["type"])'", row["text"])
        #expect(result.raw == row["raw"])
        #expect(result.output.whole == row["output"])
        #expect(result.errors == row.errors())
        #expect(result.isEmpty == row["raw"].isEmpty)
        #expect(result.inputLength == row["raw"].count)
    }

    /// The patterns P1, P2 and P5 on raw text that no pattern has tidied.
    @Test(
        arguments: table(
            """
            spec | text | passes
            `'type':'expDate'` | `01/31` | yes
            `'type':'expDate'` | `12/2031` | yes
            `'type':'expDate'` | `122031` | yes
            `'type':'expDate'` | `1231` | yes
            `'type':'expDate'` | `00/31` | no
            `'type':'expDate'` | `13/31` | no
            `'type':'expDate'` | `12//31` | no
            `'type':'expDate'` | `12-31` | no
            `'type':'expDate'` | `12/031` | no
            `'type':'expDate'` | `12/31 ` | no
            `'type':'expDate'` | `12/31␤` | no
            `'type':'expDate'` | `1\u{0662}/31` | no
            `'type':'expDate','inputDateFormat':'shortYearThenMonth'` | `31/12` | yes
            `'type':'expDate','inputDateFormat':'shortYearThenMonth'` | `31/13` | no
            `'type':'expDate','inputDateFormat':'longYearThenMonth'` | `2031/12` | yes
            `'type':'expDate','inputDateFormat':'longYearThenMonth'` | `12/2031` | no
            `'type':'date'` | `05/11/2031` | yes
            `'type':'date'` | `2031/05/11` | yes
            `'type':'date'` | `05/11/31` | yes
            `'type':'date'` | `05112031` | yes
            `'type':'date'` | `2031112031` | yes
            `'type':'date'` | `05-11-2031` | no
            `'type':'date'` | `051/1/2031` | no
            `'type':'date'` | `05/11/203` | no
            `'type':'ssn'` | `219-09-9999` | yes
            `'type':'ssn'` | `219 09-9999` | yes
            `'type':'ssn'` | `219\t09␤9999` | yes
            `'type':'ssn'` | `219--09-9999` | no
            `'type':'ssn'` | `219.09.9999` | no
            `'type':'ssn'` | `219-09-9999 ` | no
            `'type':'ssn'` | `219\u{00A0}09\u{00A0}9999` | no
            `'type':'cvc'` | `12a` | no
            `'type':'cvc'` | `1٢3` | no
            `'type':'cvc'` | `` | yes
            """))
    func matchesUntidiedText(_ row: Row) throws {
        let result = try judge("\(row["spec"]),'formatPattern':''", row["text"])
        #expect(result.raw == row["text"])
        #expect(!result.errors.contains("PATTERN_VALIDATION_ERROR") == row.flag("passes"))
    }

    /// Pattern and rules follow `inputDateFormat`.
    @Test(
        arguments: table(
            """
            spec | text | formatted | output | errors
            `'type':'expDate','inputDateFormat':'shortYear'` | `1131` | `11/31` | `11/31` | ``
            `'type':'expDate','inputDateFormat':'longYear'` | `112031` | `11/2031` | `11/2031` | ``
            `'type':'expDate','inputDateFormat':'longYear'` | `1131` | `11/31` | `11/31` | EXPIRATION_DATE
            `'type':'expDate','inputDateFormat':'shortYearThenMonth'` | `3111` | `31/11` | `31/11` | ``
            `'type':'expDate','inputDateFormat':'longYearThenMonth'` | `203111` | `2031/11` | `2031/11` | ``
            `'type':'expDate','inputDateFormat':'longYearThenMonth'` | `112031` | `1120/31` | `1120/31` | PATTERN EXPIRATION_DATE
            `'type':'date','inputDateFormat':'mmddyyyy'` | `05312031` | `05-31-2031` | `05/31/2031` | ``
            `'type':'date','inputDateFormat':'ddmmyyyy'` | `31052031` | `31-05-2031` | `31/05/2031` | ``
            `'type':'date','inputDateFormat':'ddmmyyyy'` | `05312031` | `05-31-2031` | `05/31/2031` | DATE
            `'type':'date','inputDateFormat':'yyyymmdd'` | `20310531` | `2031-05-31` | `2031/05/31` | ``
            `'type':'date','inputDateFormat':'yyyymmdd'` | `05312031` | `0531-20-31` | `0531/20/31` | DATE
            `'type':'expDate','inputDateFormat':'longYear','formatPattern':'##-####','divider':'.'` | `112031` | `11-2031` | `11.2031` | ``
            `'type':'date','divider':''` | `05/11/2031` | `05-11-2031` | `05112031` | ``
            `'type':'ssn','divider':' '` | `219099999` | `219-09-9999` | `219 09 9999` | ``
            `'type':'cardNumber','divider':'-'` | `4539526018159083` | `4539 5260 1815 9083` | `4539-5260-1815-9083` | ``
            `'formatPattern':'AA-####','divider':'/'` | `PL7042` | `PL-7042` | `PL/7042` | ``
            `'divider':'/'` | `a-b` | `a-b` | `a-b` | ``
            `'type':'cvc','formatPattern':'# # #','divider':'_'` | `321` | `3 2 1` | `3_2_1` | ``
            `'type':'cardHolderName','formatPattern':'@@@@ @@','divider':'.'` | `AnneLi` | `Anne Li` | `Anne.Li` | ``
            """))
    func followsItsKeys(_ row: Row) throws {
        let result = try judge(row["spec"], row["text"])
        #expect(result.formatted == row["formatted"])
        #expect(result.output.whole == row["output"])
        #expect(result.errors == row.errors())
    }
}
