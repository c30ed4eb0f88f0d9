internal import JSON

/// The order and length of the parts of a card's expiry (`docs/reference/fields.md` section 8).
enum ExpDateFormat: String, Sendable, CaseIterable {
    case shortYear
    case longYear
    case shortYearThenMonth
    case longYearThenMonth

    var yearDigits: Int { self == .longYear || self == .longYearThenMonth ? 4 : 2 }
    var beginsWithYear: Bool { self == .shortYearThenMonth || self == .longYearThenMonth }

    /// The pattern of an expDate field with this input format.
    var pattern: String {
        switch self {
        case .shortYear, .shortYearThenMonth: "##/##"
        case .longYear: "##/####"
        case .longYearThenMonth: "####/##"
        }
    }

    /// The parts of an expiry as text.
    struct Parts {
        let month: String
        /// Two or four digits.
        let year: String
        /// The text between them; it holds no digit.
        let divider: String

        /// With as many digits of the year as `format` has. A short year is one of this century.
        func converted(to format: ExpDateFormat) -> Parts {
            let year =
                switch (year.utf8.count, format.yearDigits) {
                case (2, 4): "20" + year
                case (4, 2): year.asciiSuffix(2)
                default: year
                }
            return Parts(month: month, year: year, divider: divider)
        }
    }

    /// The parts in the order of this format.
    func text(of parts: Parts) -> String {
        beginsWithYear ? parts.year + parts.divider + parts.month : parts.month + parts.divider + parts.year
    }

    /// Splits text by position. Nil for text of another shape; the month is not checked.
    /// - Parameter yearDigits: 2 or 4.
    func parts(of text: String, yearDigits: Int) -> Parts? {
        let first = beginsWithYear ? yearDigits : 2
        let last = beginsWithYear ? 2 : yearDigits
        let bytes = text.utf8Span.span
        guard bytes.count >= first + last else { return nil }
        for index in bytes.indices {
            let isDivider = index >= first && index < bytes.count - last
            guard bytes[index].isDigit != isDivider else { return nil }
        }
        // A divider that begins with a combining mark would form one character with the digit before it.
        guard text.isPlainASCII || text.digitCount == first + last else { return nil }
        let head = text.asciiText(0..<first)
        let tail = text.asciiText(bytes.count - last..<bytes.count)
        let divider = text.asciiText(first..<bytes.count - last)
        return beginsWithYear
            ? Parts(month: tail, year: head, divider: divider) : Parts(month: head, year: tail, divider: divider)
    }

    /// The parts of text that was not converted: the year has two digits of four in all, or four of six.
    func parts(of text: String) -> Parts? {
        switch text.digitCount {
        case 4: parts(of: text, yearDigits: 2)
        case 6: parts(of: text, yearDigits: 4)
        default: nil
        }
    }

    /// Month and four-digit year of exactly the digits of this format; nil for anything else.
    func monthAndYear(of text: String) -> (month: Int, year: Int)? {
        guard text.utf8.count == 2 + yearDigits, text.isAllDigits else { return nil }
        let digits = text.utf8Span.span
        let yearFrom = beginsWithYear ? 0 : 2
        var month = 0
        var year = 0
        for position in digits.indices {
            let digit = Int(digits[position] &- 0x30)
            if position >= yearFrom, position < yearFrom + yearDigits {
                year = 10 * year + digit
            } else {
                month = 10 * month + digit
            }
        }
        guard (1...12).contains(month) else { return nil }
        return (month, yearDigits == 2 ? 2000 + year : year)
    }
}
