import FormSchema
import JSON

/// What stands in front of digits: it may make them a part of something longer.
enum DigitRunFront {
    /// Digits of the longest telephone number (ITU-T E.164).
    private static let telephoneDigits = 15

    /// Bytes that are looked at: those of the longest IBAN.
    static let lookBehind = 48

    /// Whether the digits are a part of something longer.
    ///
    /// - Parameter count: how many they are.
    static func isJoined(_ text: Span<UInt8>, _ start: Int, digits count: Int) -> Bool {
        guard start > 0 else { return false }
        let before = text[start - 1]
        let beyond = start > 1 ? text[start - 2] : 0x20
        switch before {
        case UInt8(ascii: "."): return beyond.isDigit
        // The sign of a telephone number; a space in a form.
        case UInt8(ascii: "+"): return !beyond.isASCIIAlphanumeric && count <= telephoneDigits
        case UInt8(ascii: "-"): return endsWithIdentifier(text, start - 1)
        case UInt8(ascii: " "):
            return endsWithIBAN(text, start - 1) || endsWithCountryCode(text, start - 1, digits: count)
        default: return text.followsWord(start)
        }
    }

    /// Whether the word that ends there has a digit in it, as the parts of identifiers do.
    private static func endsWithIdentifier(_ text: Span<UInt8>, _ end: Int) -> Bool {
        var position = end - 1
        while position >= 0, end - position <= 8, text[position].isASCIIAlphanumeric {
            if text[position].isDigit { return true }
            position -= 1
        }
        return false
    }

    /// Whether the country code of a telephone number ends there, `+49`, and the number with it is no longer than one may be.
    private static func endsWithCountryCode(_ text: Span<UInt8>, _ end: Int, digits count: Int) -> Bool {
        var sign = end - 1
        while sign >= 0, end - sign <= 3, text[sign].isDigit { sign -= 1 }
        guard sign >= 0, sign < end - 1, text[sign] == UInt8(ascii: "+"), count + end - sign - 1 <= telephoneDigits
        else { return false }
        return sign == 0 || !text[sign - 1].isASCIIAlphanumeric
    }

    /// Whether the beginning of an IBAN ends there (ISO 13616): two letters and two digits, then groups of four.
    private static func endsWithIBAN(_ text: Span<UInt8>, _ end: Int) -> Bool {
        let first = end - lookBehind
        var end = end
        while end >= 4, end > first {
            for index in end - 2..<end where !text[index].isDigit { return false }
            let (high, low) = (text[end - 4], text[end - 3])
            if high &- 0x41 < 26, low &- 0x41 < 26 { return true }
            guard high.isDigit, low.isDigit, end > 4, text[end - 5] == UInt8(ascii: " ") else { return false }
            end -= 5
        }
        return false
    }

    /// Whether the four bytes at `start` are as in a table of numbers or a dump of bytes: hexadecimal digits, one of them decimal at
    /// least. Words are no groups: a card number between two words of four letters is one.
    static func isGroup(_ text: Span<UInt8>, _ start: Int) -> Bool {
        var hasDecimal = false
        for index in start..<start + 4 {
            guard let value = text[index].hexadecimalValue else { return false }
            if value < 10 { hasDecimal = true }
        }
        return hasDecimal
    }

    /// Whether a group of four stands in front that is not the end of a card number itself.
    static func isBehindGroup(_ text: Span<UInt8>, _ start: Int) -> Bool {
        guard start >= 5, text[start - 1] == UInt8(ascii: " ") || text[start - 1] == UInt8(ascii: "-") else {
            return false
        }
        guard isGroup(text, start - 5) else { return false }
        if start > 5, Span.isWord(text[start - 6]) { return false }
        guard start >= 20 else { return true }
        var digits = InlineArray<16, UInt8>(repeating: 0)
        var count = 0
        for index in start - 20..<start - 1 where (index - start + 1) % 5 != 0 && text[index].isDigit {
            digits[count] = text[index]
            count += 1
        }
        return count < 16 || !CardNumberShape.matches(digits.span)
    }
}
