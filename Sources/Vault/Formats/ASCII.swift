/// Tests on single bytes of ASCII text. Alias formats are defined over bytes, so no Unicode table is ever asked.
enum ASCII {
    /// `0`–`9`.
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// `A`–`Z`.
    static func isCapital(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }

    /// `A`–`Z`, `a`–`z`.
    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    /// `0`–`9`, `A`–`Z`, `a`–`z`.
    static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }

    /// Space to tilde.
    static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7f }

    /// Space, tab, line feed, vertical tab, form feed, carriage return.
    static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }

    /// Without the white space around it.
    static func trimmed(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let end = text.lastIndex { !isWhiteSpace($0) }
        return text[..<(end.map { $0 + 1 } ?? 0)].drop(while: isWhiteSpace)
    }
}
