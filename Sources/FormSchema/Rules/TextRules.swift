internal import JSON

/// Rules for text fields that need no pattern: `email`, `phone` (`docs/reference/elements.md` section 10) and `personName`
/// (`docs/reference/fields.md` section 6). Each takes one pass over text of any length.
extension ValidationRule {
    /// `local@domain.tld` in ASCII, with exactly one `@`.
    static func isEmail(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        var at: Int?
        var lastDot: Int?
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "@"):
                if at != nil { return false }
                at = index
                lastDot = nil
            case UInt8(ascii: "."): lastDot = index
            case UInt8(ascii: "-"): continue
            case UInt8(ascii: "_"), UInt8(ascii: "%"), UInt8(ascii: "+"): if at != nil { return false }
            case let byte: if !byte.isAlphanumeric { return false }
            }
        }
        guard let at, at > 0, let lastDot, lastDot > at + 1, bytes.count - lastDot > 2 else { return false }
        for index in lastDot + 1..<bytes.count where !bytes[index].isLetter { return false }
        return true
    }

    /// Ten digits, grouped with `(` `)` `-` `.` and spaces in any way.
    static func isPhone(_ text: String) -> Bool {
        var digits = 0
        for byte in text.utf8 {
            if byte.isDigit {
                digits += 1
            } else {
                switch byte {
                case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: " "):
                    continue
                default: return false
                }
            }
        }
        return digits == 10
    }

    /// Two or more letters (grapheme clusters of Unicode categories L and M), with spaces, `'` `’` `.` `,` `-` `·` between them and a
    /// full stop behind the last one, as in "Jr.".
    static func isPersonName(_ text: String) -> Bool {
        var letters = 0
        var endsWithLetter = false
        var endsAsName = false
        for character in text {
            let followsLetter = endsWithLetter
            endsWithLetter = isLetterOfName(character)
            endsAsName = endsWithLetter || (followsLetter && character == ".")
            if endsWithLetter {
                letters += 1
            } else if letters == 0 || !isSeparatorOfName(character) {
                return false
            }
        }
        return letters >= 2 && endsAsName
    }

    /// All scalars are letters or marks, or join and separate letters within a word, as U+200C does in Persian.
    private static func isLetterOfName(_ character: Character) -> Bool {
        guard character.isLetter else { return false }
        return character.unicodeScalars.allSatisfy { scalar in
            let category = scalar.properties.generalCategory
            return category.isLetter || category.isMark || scalar.value == 0x200C || scalar.value == 0x200D
        }
    }

    /// Space, apostrophe, typographic apostrophe, full stop, comma, hyphen and middle dot.
    private static func isSeparatorOfName(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1 else { return false }
        switch scalar.value {
        case 0x20, 0x27, 0x2019, 0x2E, 0x2C, 0x2D, 0xB7: return true
        default: return false
        }
    }
}
