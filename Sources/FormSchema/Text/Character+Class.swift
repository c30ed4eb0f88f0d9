internal import JSON

/// The classes of `docs/reference/fields.md` section 3: *digit* is ASCII 0–9, *letter* is Unicode category L or M, *alphanumeric*
/// is either. A grapheme cluster is classified by its first scalar, because the marks that follow belong to it.
extension Character {
    private var category: Unicode.GeneralCategory? { unicodeScalars.first?.properties.generalCategory }

    var isDigit: Bool { utf8.count == 1 && (utf8.first ?? 0).isDigit }

    var isLetter: Bool { category.map { $0.isLetter || $0.isMark } ?? false }

    /// Whether it is a letter in the narrow sense of masks: Unicode category L.
    var isCategoryL: Bool { category?.isLetter ?? false }

    var isAlphanumeric: Bool { isDigit || isLetter }

    var isLowercaseLetter: Bool { category == .lowercaseLetter }
    var isUppercaseLetter: Bool { category == .uppercaseLetter || category == .titlecaseLetter }

    /// Whether dropping the character would lose input: it holds a scalar of Unicode category L or N. All scalars are examined,
    /// because a format character such as U+0600 joins the digit after it into one cluster.
    var isLetterOrNumber: Bool {
        unicodeScalars.contains { $0.properties.generalCategory.isLetterOrNumber }
    }
}

extension Unicode.GeneralCategory {
    /// Category L.
    var isLetter: Bool {
        switch self {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    /// Category M.
    var isMark: Bool { self == .nonspacingMark || self == .spacingMark || self == .enclosingMark }

    /// Category L or N.
    fileprivate var isLetterOrNumber: Bool {
        switch self {
        case .decimalNumber, .letterNumber, .otherNumber: true
        default: isLetter
        }
    }
}
