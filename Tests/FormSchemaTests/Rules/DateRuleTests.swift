import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 6, dates and `dateRange`.
@Suite struct DateRuleTests {
    @Test(
        arguments: table(
            """
            format | text | passes
            mmddyyyy | `05312031` | yes
            ddmmyyyy | `31052031` | yes
            yyyymmdd | `20310531` | yes
            mmddyyyy | `31052031` | no
            ddmmyyyy | `05312031` | no
            yyyymmdd | `05312031` | no
            mmddyyyy | `02292024` | yes
            mmddyyyy | `02292023` | no
            mmddyyyy | `02291900` | no
            mmddyyyy | `02292000` | yes
            mmddyyyy | `02292100` | no
            mmddyyyy | `02302024` | no
            mmddyyyy | `04312031` | no
            mmddyyyy | `04302031` | yes
            mmddyyyy | `06312031` | no
            mmddyyyy | `09312031` | no
            mmddyyyy | `11312031` | no
            mmddyyyy | `12312031` | yes
            mmddyyyy | `00012031` | no
            mmddyyyy | `01002031` | no
            mmddyyyy | `13012031` | no
            mmddyyyy | `01322031` | no
            mmddyyyy | `01010001` | yes
            mmddyyyy | `01010000` | no
            mmddyyyy | `12319999` | yes
            mmddyyyy | `10041582` | yes
            mmddyyyy | `10051582` | no
            mmddyyyy | `10101582` | no
            mmddyyyy | `10141582` | no
            mmddyyyy | `10151582` | yes
            mmddyyyy | `11101582` | yes
            mmddyyyy | `10101583` | yes
            mmddyyyy | `02291500` | no
            ddmmyyyy | `10101582` | no
            yyyymmdd | `15821010` | no
            mmddyyyy | `0531203` | no
            mmddyyyy | `053120311` | no
            mmddyyyy | `05/31/2031` | no
            mmddyyyy | `+5312031` | no
            mmddyyyy | `05312031 ` | no
            mmddyyyy | `٠٥٣١٢٠٣١` | no
            mmddyyyy | `` | no
            """))
    func knowsTheCalendar(_ row: Row) throws {
        let rule = "{'rule':'dateRange','dateFormat':'\(row["format"])'}"
        let errors = row.flag("passes") ? [] : ["DATE_VALIDATION_ERROR"]
        #expect(try judge("'validationRules':[\(rule)]", row["text"]).errors == errors)
        let spec = "'type':'date','formatPattern':'','inputDateFormat':'\(row["format"])'"
        #expect(try judge("\(spec),'validationRules':[{'rule':'dateRange'}]", row["text"]).errors == errors)
    }

    @Test(
        arguments: table(
            """
            bounds | text | passes
            `` | `01010001` | yes
            `,'start':'2000-01-01'` | `01012000` | yes
            `,'start':'2000-01-01'` | `12311999` | no
            `,'start':'2000-01-01'` | `12319999` | yes
            `,'end':'2008-11-21'` | `11212008` | yes
            `,'end':'2008-11-21'` | `11222008` | no
            `,'end':'2008-11-21'` | `12012007` | yes
            `,'start':'2000-02-29','end':'2000-02-29'` | `02292000` | yes
            `,'start':'2000-02-29','end':'2000-02-29'` | `02282000` | no
            `,'start':'2000-02-29','end':'2000-02-29'` | `03012000` | no
            `,'start':'2000-01-31','end':'2000-12-01'` | `06152000` | yes
            `,'start':'2000-01-31','end':'2000-12-01','error':'AGE'` | `06152001` | no
            """))
    func keepsToItsBounds(_ row: Row) throws {
        let result = try judge("'validationRules':[{'rule':'dateRange'\(row["bounds"])}]", row["text"])
        #expect(result.isValid == row.flag("passes"))
        if row["bounds"].contains("AGE") { #expect(result.errors == ["AGE"]) }
    }
}
