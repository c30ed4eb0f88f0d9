import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 6, `cardExpirationDate`: from the current month through December twenty years on.
@Suite struct ExpirationDateTests {
    @Test(
        arguments: table(
            """
            format | text | passes
            shortYear | `1126` | yes
            shortYear | `1226` | yes
            shortYear | `1246` | yes
            shortYear | `0127` | yes
            shortYear | `1026` | no
            shortYear | `0126` | no
            shortYear | `1225` | no
            shortYear | `0147` | no
            shortYear | `1327` | no
            shortYear | `0027` | no
            shortYear | `01270` | no
            shortYear | `012027` | no
            shortYear | `127` | no
            shortYear | `+127` | no
            shortYear | `-127` | no
            shortYear | ` 127` | no
            shortYear | `01/27` | no
            shortYear | `٠١٢٧` | no
            shortYear | `1299` | no
            shortYear | `` | no
            longYear | `112026` | yes
            longYear | `122046` | yes
            longYear | `012047` | no
            longYear | `102026` | no
            longYear | `1126` | no
            longYear | `121926` | no
            longYear | `120026` | no
            longYear | `1120260` | no
            shortYearThenMonth | `2611` | yes
            shortYearThenMonth | `4612` | yes
            shortYearThenMonth | `2610` | no
            shortYearThenMonth | `1126` | no
            shortYearThenMonth | `2700` | no
            longYearThenMonth | `202611` | yes
            longYearThenMonth | `204612` | yes
            longYearThenMonth | `204701` | no
            longYearThenMonth | `2611` | no
            longYearThenMonth | `112026` | no
            """))
    func judges(_ row: Row) throws {
        let rule = "{'rule':'cardExpirationDate','dateFormat':'\(row["format"])'}"
        let errors = row.flag("passes") ? [] : ["EXPIRATION_DATE_VALIDATION_ERROR"]
        #expect(try judge("'validationRules':[\(rule)]", row["text"]).errors == errors)
        // On an expiry the format comes from the field; the rule may leave it out.
        let spec = "'type':'expDate','formatPattern':'','inputDateFormat':'\(row["format"])'"
        let field = try judge("\(spec),'validationRules':[{'rule':'cardExpirationDate'}]", row["text"])
        #expect(field.errors == errors)
    }

    /// Around the turn of a year and of a century.
    @Test(
        arguments: table(
            """
            year | month | text | passes
            2026 | 12 | `1226` | yes
            2026 | 12 | `1126` | no
            2026 | 12 | `0127` | yes
            2027 | 1 | `1226` | no
            2027 | 1 | `0127` | yes
            2027 | 1 | `1247` | yes
            2027 | 1 | `0148` | no
            2079 | 6 | `1299` | yes
            2090 | 6 | `0601` | no
            2090 | 6 | `0690` | yes
            2100 | 1 | `0100` | no
            """))
    func followsTheClock(_ row: Row) throws {
        let year = try #require(Int(row["year"]))
        let month = try #require(Int(row["month"]))
        let day = try #require(CalendarDay(year: year, month: month, day: 28))
        let form = try TestForm("{'name':'e','type':'expDate','formatPattern':''}")
        let result = try form.evaluate("{'e':'\(row["text"])'}", on: day).result("e")
        #expect(result.isValid == row.flag("passes"))
    }

    @Test func lastDayOfTheCalendar() throws {
        let day = try #require(CalendarDay(year: 9999, month: 12, day: 31))
        let form = try TestForm("{'name':'e','type':'expDate','inputDateFormat':'longYear'}")
        #expect(try form.evaluate("{'e':'12/9999'}", on: day).isValid)
        #expect(try !form.evaluate("{'e':'11/9999'}", on: day).isValid)
    }
}
