/// A day of the Gregorian calendar, years 1–9999. The days that the reform of 1582 skipped do not exist
/// (`docs/reference/fields.md` section 6).
public struct CalendarDay: Sendable, Comparable {
    /// In the Gregorian calendar, 1 to 9999.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to the last of the month.
    public let day: Int

    /// 1 January 1970, which an unset clock shows.
    public static let epoch = CalendarDay(ofEpoch: 1970)

    private init(ofEpoch year: Int) {
        self.year = year
        month = 1
        day = 1
    }

    /// Nil if there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
        guard day >= 1, day <= Self.days(in: month, of: year) else { return nil }
        if year == 1582, month == 10, (5...14).contains(day) { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// `YYYY-MM-DD` (RFC 3339 full-date).
    init?(iso text: String) {
        let digits = text.asciiDigits.map(Int.init)
        let bytes = Array(text.utf8)
        guard bytes.count == 10, digits.count == 8, bytes[4] == 0x2D, bytes[7] == 0x2D else { return nil }
        self.init(year: digits[..<4].number, month: digits[4..<6].number, day: digits[6...].number)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension Collection where Element == Int {
    /// The number with these decimal digits.
    var number: Int { reduce(0) { 10 * $0 + $1 } }
}
