/// The classes of `fields.md` section 3: *digit* is ASCII 0–9, *letter* is Unicode category L or M, *alphanumeric* is either. A
/// grapheme cluster is classified by its first scalar, as the marks behind it belong to it.
extension Character {
    private var category: Unicode.GeneralCategory? { unicodeScalars.first?.properties.generalCategory }

    var isDigit: Bool { utf8.count == 1 && (utf8.first ?? 0).isDigit }

    var isLetter: Bool {
        switch category {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: isCategoryL
        }
    }

    /// Whether it is a letter in the narrow sense of masks: Unicode category L.
    var isCategoryL: Bool {
        switch category {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    var isAlphanumeric: Bool { isDigit || isLetter }

    var isLowercaseLetter: Bool { category == .lowercaseLetter }
    var isUppercaseLetter: Bool { category == .uppercaseLetter || category == .titlecaseLetter }

    /// Whether losing it would lose what somebody typed: Unicode category L or N. Any scalar counts: a sign that joins the
    /// digit behind it (U+0600) must not carry it off unseen.
    var isLetterOrNumber: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
            case .decimalNumber, .letterNumber, .otherNumber: true
            default: false
            }
        }
    }
}
