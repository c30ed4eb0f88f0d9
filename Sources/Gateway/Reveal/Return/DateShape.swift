import JSON

/// Whether digits are the year of a date, or what follows the seconds of a time, by what adjoins them.
///
/// A month and a year alone are none: that is how cards show when they expire.
enum DateShape {
    private static let months: [StaticString] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Nil if that depends on bytes that are still to come.
    ///
    /// - Parameters:
    ///   - range: of the digits.
    ///   - isWhole: whether the text ends where `text` ends.
    static func holds(_ text: Span<UInt8>, _ range: Range<Int>, isWhole: Bool) -> Bool? {
        let start = range.lowerBound
        if isFraction(text, start) { return true }
        guard isYear(text, range) else { return false }
        if followsMonth(text, start) || followsDay(text, start) || followsSlashes(text, start) { return true }
        return precedesDay(text, range.upperBound, isWhole: isWhole)
    }

    private static func isYear(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count == 4, text[range.lowerBound + 2].isDigit, text[range.lowerBound + 3].isDigit else {
            return false
        }
        let century = (text[range.lowerBound], text[range.lowerBound + 1])
        return century == (UInt8(ascii: "2"), UInt8(ascii: "0")) || century == (UInt8(ascii: "1"), UInt8(ascii: "9"))
    }

    /// `10:15:30,` (ISO 8601 takes a comma in front of fractions, too.) Behind `10:31,` stands the next value of a list.
    private static func isFraction(_ text: Span<UInt8>, _ start: Int) -> Bool {
        guard start >= 9, text[start - 1] == UInt8(ascii: ",") else { return false }
        // Hours, minutes and seconds, from behind.
        return [start - 3, start - 6, start - 9].allSatisfy { part in
            text[part].isDigit && text[part + 1].isDigit
        } && text[start - 4] == UInt8(ascii: ":") && text[start - 7] == UInt8(ascii: ":")
    }

    /// `21 Oct ` (RFC 9110 section 5.6.7)
    private static func followsMonth(_ text: Span<UInt8>, _ start: Int) -> Bool {
        guard start >= 6, text[start - 1] == 0x20, text[start - 5] == 0x20, text[start - 6].isDigit else {
            return false
        }
        return months.contains { month in
            (0..<3).allSatisfy { text[start - 4 + $0] | 0x20 == month.utf8Start[$0] }
        }
    }

    /// `Oct 21, `
    private static func followsDay(_ text: Span<UInt8>, _ start: Int) -> Bool {
        guard start >= 7, text[start - 1] == 0x20, text[start - 2] == UInt8(ascii: ","), text[start - 3].isDigit
        else { return false }
        let space = text[start - 4].isDigit ? start - 5 : start - 4
        return space >= 1 && text[space] == 0x20 && (text[space - 1] | 0x20) &- 0x61 < 26
    }

    /// `21/10/`
    private static func followsSlashes(_ text: Span<UInt8>, _ start: Int) -> Bool {
        guard start >= 4, text[start - 1] == UInt8(ascii: "/"), text[start - 2].isDigit else { return false }
        let slash = text[start - 3].isDigit ? start - 4 : start - 3
        return slash >= 1 && text[slash] == UInt8(ascii: "/") && text[slash - 1].isDigit
    }

    /// `/10/21`, or `:10:21` as cameras write it (Exif 3.0, section 4.6.5).
    private static func precedesDay(_ text: Span<UInt8>, _ end: Int, isWhole: Bool) -> Bool? {
        guard end < text.count else { return isWhole ? false : nil }
        let separator = text[end]
        guard separator == UInt8(ascii: "/") || separator == UInt8(ascii: ":") else { return false }
        for offset in 1..<4 {
            guard end + offset < text.count else { return isWhole ? false : nil }
            let byte = text[end + offset]
            if offset > 1, byte == separator { return true }
            if !byte.isDigit { return false }
        }
        return false
    }
}
