/// Reads escapes in a text whose end may still be missing.
///
/// Text is often escaped more than once: JSON within a JSON string, a URL within a query. The nested readings take all levels of
/// one kind at once.
struct EscapeReader {
    /// Whether the text ends where it ends.
    let isWhole: Bool
    /// Whether an escape could not be read because the text ends within it.
    private(set) var isUnfinished = false

    /// Levels of one kind of escape that are read.
    static let maximumLevels = 4
    /// Backslashes of a character that was escaped so often.
    private static let maximumBackslashes = 1 << maximumLevels
    /// Bytes of the longest reference of HTML that is read.
    private static let maximumReference = 12

    init(isWhole: Bool) { self.isWhole = isWhole }

    /// The byte there; nil behind the end, which is noted if more may come.
    private mutating func byte(_ text: Span<UInt8>, _ position: Int) -> UInt8? {
        if position < text.count { return text[position] }
        if !isWhole { isUnfinished = true }
        return nil
    }

    private mutating func hexadecimal(_ text: Span<UInt8>, _ position: Int, digits: Int) -> UInt32? {
        var value: UInt32 = 0
        for offset in 0..<digits {
            guard let digit = byte(text, position + offset)?.hexadecimalValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// `\n`, `\/`, `\u0034`: the backslash is at `position`.
    mutating func json(_ text: Span<UInt8>, at position: Int) -> WrittenCharacter? {
        json(text, at: position, backslashes: 1)
    }

    /// The same behind several backslashes, each escaped again.
    mutating func nestedJSON(_ text: Span<UInt8>, at position: Int) -> WrittenCharacter? {
        var backslashes = 1
        while byte(text, position + backslashes) == UInt8(ascii: "\\") {
            backslashes += 1
            guard backslashes <= Self.maximumBackslashes else { return nil }
        }
        if backslashes == 1 || isUnfinished { return nil }
        if let character = json(text, at: position, backslashes: backslashes) { return character }
        return backslashes >= 4 ? WrittenCharacter(UInt8(ascii: "\\"), end: position + 4) : nil
    }

    private mutating func json(_ text: Span<UInt8>, at position: Int, backslashes: Int) -> WrittenCharacter? {
        let letter = position + backslashes
        let end = letter + 1
        switch byte(text, letter) {
        case UInt8(ascii: "\""): return WrittenCharacter(UInt8(ascii: "\""), end: end)
        case UInt8(ascii: "\\"): return WrittenCharacter(UInt8(ascii: "\\"), end: end)
        case UInt8(ascii: "/"): return WrittenCharacter(UInt8(ascii: "/"), end: end)
        case UInt8(ascii: "b"): return WrittenCharacter(0x08, end: end)
        case UInt8(ascii: "f"): return WrittenCharacter(0x0C, end: end)
        case UInt8(ascii: "n"): return WrittenCharacter(0x0A, end: end)
        case UInt8(ascii: "r"): return WrittenCharacter(0x0D, end: end)
        case UInt8(ascii: "t"): return WrittenCharacter(0x09, end: end)
        case UInt8(ascii: "u"): return unicode(text, at: end, backslashes: backslashes)
        default: return nil
        }
    }

    /// Four hexadecimal digits at `position`; with the second half behind them if they are the first half of a surrogate pair.
    private mutating func unicode(_ text: Span<UInt8>, at position: Int, backslashes: Int) -> WrittenCharacter? {
        guard let high = hexadecimal(text, position, digits: 4) else { return nil }
        let end = position + 4
        guard 0xD800..<0xDC00 ~= high else { return WrittenCharacter(scalar: high, end: end) }
        for offset in 0..<backslashes where byte(text, end + offset) != UInt8(ascii: "\\") { return nil }
        guard byte(text, end + backslashes) == UInt8(ascii: "u"),
            let low = hexadecimal(text, end + backslashes + 1, digits: 4),
            0xDC00..<0xE000 ~= low
        else { return nil }
        return WrittenCharacter(
            scalar: 0x1_0000 + (high & 0x3FF) << 10 + (low & 0x3FF), end: end + backslashes + 5)
    }

    /// `%34`, a byte; with levels, `%2534`, where the percent sign was escaped again.
    mutating func percent(_ text: Span<UInt8>, at position: Int, levels: Int = 0) -> WrittenCharacter? {
        let digits = position + 1 + 2 * levels
        guard let value = hexadecimal(text, digits, digits: 2) else { return nil }
        return WrittenCharacter(UInt8(truncatingIfNeeded: value), end: digits + 2)
    }

    /// `&#52;`, `&#x34;`, `&amp;` (HTML, section 13.5; the names of HTML 4): the ampersand, or the last byte of how it is written, is at
    /// `position`.
    mutating func reference(_ text: Span<UInt8>, at position: Int) -> WrittenCharacter? {
        var end = position + 1
        while let byte = byte(text, end), byte != UInt8(ascii: ";") {
            end += 1
            // Letters, digits and `#`; anything else ends what might have been one.
            guard end - position <= Self.maximumReference, byte == UInt8(ascii: "#") || byte.isASCIIAlphanumeric else {
                return nil
            }
        }
        guard end < text.count else { return nil }
        return Self.scalar(named: text.extracting(position + 1..<end)).map {
            WrittenCharacter(scalar: $0, end: end + 1)
        }
    }

    private static func scalar(named name: Span<UInt8>) -> UInt32? {
        guard name.count > 1 else { return nil }
        if name[0] != UInt8(ascii: "#") { return NamedCharacter.scalar(name) }
        let isHexadecimal = name[1] | 0x20 == UInt8(ascii: "x")
        var value: UInt32 = 0
        let first = isHexadecimal ? 2 : 1
        guard first < name.count else { return nil }
        for index in first..<name.count {
            guard let digit = name[index].hexadecimalValue, isHexadecimal || digit < 10 else { return nil }
            value = value * (isHexadecimal ? 16 : 10) + UInt32(digit)
            guard value <= 0x10_FFFF else { return nil }
        }
        return value
    }

    /// A space or hyphen of several bytes.
    mutating func wideSeparator(_ text: Span<UInt8>, at position: Int) -> WrittenCharacter? {
        let scalar: UInt32
        guard let first = byte(text, position), let second = byte(text, position + 1) else { return nil }
        if first == 0xC2 {
            scalar = UInt32(first & 0x1F) << 6 | UInt32(second & 0x3F)
        } else {
            guard second == 0x80, let third = byte(text, position + 2) else { return nil }
            scalar = 0x2000 | UInt32(third & 0x3F)
        }
        let character = WrittenCharacter(scalar: scalar, end: position + (first == 0xC2 ? 2 : 3))
        return character.isSeparator ? character : nil
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { self &- 0x30 < 10 }
    var isASCIIAlphanumeric: Bool { isASCIIDigit || (self | 0x20) &- 0x61 < 26 }

    /// The value of a hexadecimal digit; nil for other bytes, signs among them.
    var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self &- 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self &- 0x37
        default: nil
        }
    }
}
