/// US social security numbers, rule P5 of `fields.md`: area 001–899 without 666, group 01–99, serial 0001–9999.
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

    /// The nine digits of a text that is either nine digits, or 3-2-4 digits with the same separator, one `-` or one
    /// white space character, in both places. `nil` for anything else.
    static func digits(of text: [UInt8]) -> [UInt8]? {
        if text.count == 9 { return isValid(text) ? text : nil }
        guard text.count == 11, text[3] == text[6], text[3] == 0x2d || ASCII.isWhiteSpace(text[3]) else { return nil }
        let digits = Array(text[0..<3] + text[4..<6] + text[7..<11])
        return isValid(digits) ? digits : nil
    }
}
