internal import JSON

/// Rules for text fields that need no pattern: `email`, `phone` (`docs/reference/elements.md` section 10) and `personName`
/// (`docs/reference/fields.md` section 6). Each takes one pass over text of any length.
extension ValidationRule {
    /// `local@domain.tld` in ASCII, with exactly one `@`.
    static func isEmail(_ text: String) -> Bool {
        let sides = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty else { return false }
        guard sides[0].allSatisfy({ $0.isAlphanumeric || "._%+-".utf8.contains($0) }) else { return false }
        guard sides[1].allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }) else {
            return false
        }
        guard let dot = sides[1].lastIndex(of: UInt8(ascii: ".")), dot > sides[1].startIndex else { return false }
        let topLevel = sides[1][dot...].dropFirst()
        return topLevel.count >= 2 && topLevel.allSatisfy { $0.isLetter }
    }

    /// Ten digits, grouped with `(` `)` `-` `.` and spaces in any way.
    static func isPhone(_ text: String) -> Bool {
        var digits = 0
        for byte in text.utf8 {
            if byte.isDigit {
                digits += 1
            } else if !"()-. ".utf8.contains(byte) {
                return false
            }
        }
        return digits == 10
    }

    /// Two or more letters (grapheme clusters of Unicode categories L and M), with spaces, `'` `’` `.` `,` `-` `·` between them.
    static func isPersonName(_ text: String) -> Bool {
        var letters = 0
        var endsWithLetter = false
        for character in text {
            endsWithLetter = isLetterOfName(character)
            if endsWithLetter {
                letters += 1
            } else if letters == 0 || !isSeparatorOfName(character) {
                return false
            }
        }
        return letters >= 2 && endsWithLetter
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
