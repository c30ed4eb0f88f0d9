import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 6, dates: Gregorian, years 1–9999, without the days that the reform of 1582 skipped.
@Suite struct CalendarDayTests {
    /// Every day of the calendar counted once: 9999 years of 365 days, 2424 leap days, ten days skipped.
    @Test func countsEveryDay() {
        var days = 0
        for year in 0...10_000 {
            for month in 0...13 {
                for day in 0...32 where CalendarDay(year: year, month: month, day: day) != nil { days += 1 }
            }
        }
        #expect(days == 9999 * 365 + 2424 - 10)
    }

    @Test(
        arguments: table(
            """
            text | day
            `2024-02-29` | 2024 2 29
            `0001-01-01` | 1 1 1
            `9999-12-31` | 9999 12 31
            `2023-02-29` | -
            `0000-01-01` | -
            `1582-10-10` | -
            `2024-2-29` | -
            `20240229` | -
            `2024/02/29` | -
            `2024-02-29 ` | -
            `-2024-2-29` | -
            `2024-02-2٩` | -
            `2024-1301-0` | -
            `` | -
            """))
    func readsFullDates(_ row: Row) {
        let day = CalendarDay(iso: row["text"]).map { "\($0.year) \($0.month) \($0.day)" }
        #expect(day ?? "-" == row["day"])
    }

    @Test func extremesAreNoDays() {
        for value in [Int.min, -1, Int.max] {
            #expect(CalendarDay(year: value, month: 1, day: 1) == nil)
            #expect(CalendarDay(year: 2026, month: value, day: 1) == nil)
            #expect(CalendarDay(year: 2026, month: 1, day: value) == nil)
        }
    }
}
