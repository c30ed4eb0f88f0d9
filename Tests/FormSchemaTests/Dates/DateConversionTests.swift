import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 8: what is sent when both formats are set.
@Suite struct DateConversionTests {
    /// The reference's own table and more, on the whole field.
    @Test(
        arguments: table(
            """
            spec | text | output
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear'` | `09/31` | `09/2031`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear'` | `09/74` | `09/2074`
            `'type':'expDate','inputDateFormat':'longYear','outputDateFormat':'shortYearThenMonth'` | `09/2031` | `31/09`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYearThenMonth','divider':'::'` | `09::31` | `2031::09`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear','divider':''` | `09/31` | `092031`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'shortYear'` | `09/31` | `09/31`
            `'type':'expDate','inputDateFormat':'longYear','outputDateFormat':'longYear'` | `09/2031` | `09/2031`
            `'type':'expDate','inputDateFormat':'longYear','outputDateFormat':'shortYear'` | `09/1999` | `09/99`
            `'type':'expDate','inputDateFormat':'longYear','outputDateFormat':'longYearThenMonth'` | `09/1999` | `1999/09`
            `'type':'expDate','inputDateFormat':'shortYearThenMonth','outputDateFormat':'longYear'` | `31/09` | `09/2031`
            `'type':'expDate','inputDateFormat':'longYearThenMonth','outputDateFormat':'shortYear'` | `2031/09` | `09/31`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear'` | `09/3` | `09/3`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear'` | `99/31` | `99/2031`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear'` | `` | ``
            `'type':'expDate','outputDateFormat':'longYear'` | `09/31` | `09/31`
            `'type':'expDate','inputDateFormat':'shortYear'` | `09/31` | `09/31`
            `'type':'expDate','inputDateFormat':'longYear','outputDateFormat':'shortYear'` | `09/31` | `09/31`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear','formatPattern':''` | `09 - 31` | `09 - 2031`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear','formatPattern':''` | `09é31` | `09é2031`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear','formatPattern':''` | `09/131` | `09/131`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear','formatPattern':''` | `/0931` | `/0931`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear','formatPattern':''` | `0931/` | `0931/`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear','formatPattern':''` | `931` | `931`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear','formatPattern':''` | `٠٩31` | `٠٩31`
            `'type':'expDate','inputDateFormat':'longYear','outputDateFormat':'shortYear','formatPattern':''` | `092031` | `0931`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd'` | `05/11/2031` | `2031/05/11`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'ddmmyyyy'` | `05/11/2031` | `11/05/2031`
            `'type':'date','inputDateFormat':'ddmmyyyy','outputDateFormat':'mmddyyyy'` | `11/05/2031` | `05/11/2031`
            `'type':'date','inputDateFormat':'ddmmyyyy','outputDateFormat':'yyyymmdd'` | `31/05/2031` | `2031/05/31`
            `'type':'date','inputDateFormat':'yyyymmdd','outputDateFormat':'mmddyyyy'` | `2031/05/11` | `05/11/2031`
            `'type':'date','inputDateFormat':'yyyymmdd','outputDateFormat':'ddmmyyyy','divider':'.'` | `20310511` | `11.05.2031`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd','divider':''` | `05/11/2031` | `20310511`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd','divider':' - '` | `05/11/2031` | `2031 - 05 - 11`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd'` | `02/30/2031` | `02/30/2031`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd'` | `05/11` | `05/11`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd'` | `10/10/1582` | `10/10/1582`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd'` | `01/02/0003` | `0003/01/02`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd','formatPattern':''` | `05/11-2031` | `20310511`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd','formatPattern':''` | `05-11-2031` | `2031-05-11`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd','formatPattern':''` | `0511/2031` | `20310511`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd','formatPattern':''` | `0.5.1.1.2031` | `20310511`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd','formatPattern':''` | `05/11/203\u{301}1` | `05/11/203\u{301}1`
            `'type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd','formatPattern':''` | `05/1\u{301}11/2031` | `20310511`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear','formatPattern':''` | `09\u{301}31` | `09\u{301}31`
            `'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYear','formatPattern':''` | `09\u{600}31` | `09\u{600}31`
            `'type':'date','outputDateFormat':'yyyymmdd'` | `05/11/2031` | `05/11/2031`
            `'type':'date','inputDateFormat':'ddmmyyyy'` | `31/05/2031` | `31/05/2031`
            """))
    func converts(_ row: Row) throws {
        #expect(try judge(row["spec"], row["text"]).output.whole == row["output"])
    }

    /// Rules see the raw text in the input format, whatever is sent.
    @Test func rulesSeeTheInput() throws {
        let spec = "'type':'expDate','inputDateFormat':'shortYear','outputDateFormat':'longYearThenMonth'"
        let result = try judge(spec, "09/31")
        #expect(result.isValid)
        #expect(result.raw == "0931")
        #expect(result.formatted == "09/31")
        #expect(result.output.whole == "2031/09")
    }
}
