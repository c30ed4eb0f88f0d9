/// US social security numbers, rule P5 of `docs/reference/fields.md`: area 001–899 without 666, group 01–99, serial 0001–9999.
enum SocialSecurityNumber {
    /// Whether these nine ASCII digits could be issued.
    static func isValid(_ digits: [UInt8]) -> Bool {
        guard digits.count == 9, digits.allSatisfy(ASCII.isDigit) else { return false }
        return isAreaAndGroupValid(digits) && digits[5...].contains { $0 != 0x30 }
    }

    /// Whether the first five of these ASCII digits are a valid area and group.
    static func isAreaAndGroupValid(_ digits: [UInt8]) -> Bool {
        guard digits.count >= 5 else { return false }
        let number = digits.map { Int($0 &- 0x30) }
        let area = number[0] * 100 + number[1] * 10 + number[2]
        return area > 0 && area < 900 && area != 666 && number[3] + number[4] > 0
    }

    /// Whether a text has the form 3-2-4 with the same separator, one `-` or one white space character, in both places. What stands
    /// between them is not looked at.
    static func isGrouped(_ text: some RandomAccessCollection<UInt8>) -> Bool {
        guard text.count == 11 else { return false }
        let separator = text[text.index(text.startIndex, offsetBy: 3)]
        return text[text.index(text.startIndex, offsetBy: 6)] == separator
            && (separator == 0x2d || ASCII.isWhiteSpace(separator))
    }

    /// The nine digits of a text that is either nine digits, or 3-2-4 digits with the same separator, one `-` or one
    /// white space character, in both places. `nil` for anything else.
    static func digits(of text: [UInt8]) -> [UInt8]? {
        if text.count == 9 { return isValid(text) ? text : nil }
        guard isGrouped(text) else { return nil }
        let digits = Array(text[0..<3] + text[4..<6] + text[7..<11])
        return isValid(digits) ? digits : nil
    }
}
