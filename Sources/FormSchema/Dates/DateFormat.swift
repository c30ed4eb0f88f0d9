/// The order of a date's digits (`docs/reference/fields.md` section 8).
enum DateFormat: String, Sendable, CaseIterable {
    case mmddyyyy
    case ddmmyyyy
    case yyyymmdd

    /// The pattern of a date field with this input format.
    var pattern: String { self == .yyyymmdd ? "####-##-##" : "##-##-####" }

    /// The day that exactly eight digits write; nil if there is no such day.
    func day(from digits: [UInt8]) -> CalendarDay? {
        guard digits.count == 8 else { return nil }
        let digits = digits.map(Int.init)
        return switch self {
        case .mmddyyyy:
            CalendarDay(year: digits[4...].number, month: digits[..<2].number, day: digits[2..<4].number)
        case .ddmmyyyy:
            CalendarDay(year: digits[4...].number, month: digits[2..<4].number, day: digits[..<2].number)
        case .yyyymmdd:
            CalendarDay(year: digits[..<4].number, month: digits[4..<6].number, day: digits[6...].number)
        }
    }

    /// The date with `divider` between its parts.
    func text(of day: CalendarDay, divider: String) -> String {
        let year = padded(day.year, to: 4)
        let month = padded(day.month, to: 2)
        let date = padded(day.day, to: 2)
        return switch self {
        case .mmddyyyy: [month, date, year].joined(separator: divider)
        case .ddmmyyyy: [date, month, year].joined(separator: divider)
        case .yyyymmdd: [year, month, date].joined(separator: divider)
        }
    }

    /// `text` in another format, with its own divider if it has exactly two equal ones; nil if it is not a date.
    func convert(_ text: String, to output: DateFormat) -> String? {
        guard let day = day(from: text.asciiDigits) else { return nil }
        let runs = text.split(omittingEmptySubsequences: true) { ($0 as Character).isDigit }
        let divider = runs.count == 2 && runs[0].utf8.elementsEqual(runs[1].utf8) ? String(runs[0]) : ""
        return output.text(of: day, divider: divider)
    }
}

/// A number with leading zeros.
func padded(_ number: Int, to width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
}
