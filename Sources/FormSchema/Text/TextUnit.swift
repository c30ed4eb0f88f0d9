internal import JSON

/// One character of a text, in the classes of `fields.md` section 3: *digit* is ASCII 0–9, *letter* is Unicode category L
/// or M, *alphanumeric* is either.
///
/// Text that is plain ASCII is walked as bytes, all other text as grapheme clusters; the code that walks is the same.
protocol TextUnit: Sendable {
    var isDigit: Bool { get }
    var isLetter: Bool { get }
    var isLowercaseLetter: Bool { get }
    var isUppercaseLetter: Bool { get }
    /// Whether losing it would lose what somebody typed: Unicode category L or N.
    var isLetterOrNumber: Bool { get }
    /// What a pattern shows at a position that is no slot.
    static func literal(of pattern: FormatPattern, at position: Int) -> Self
    func append(to text: inout [UInt8])
    /// Appends it to the string that is being written.
    func write(into writer: inout JSONWriter)
    static func joined(_ units: [Self]) -> String
}

extension TextUnit {
    @inline(__always)
    var isAlphanumeric: Bool { isDigit || isLetter }
}

extension UInt8: TextUnit {
    @inline(__always)
    var isDigit: Bool { self &- 0x30 < 10 }
    @inline(__always)
    var isLowercaseLetter: Bool { self &- 0x61 < 26 }
    @inline(__always)
    var isUppercaseLetter: Bool { self &- 0x41 < 26 }
    @inline(__always)
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
    @inline(__always)
    var isLetterOrNumber: Bool { isDigit || isLetter }

    static func literal(of pattern: FormatPattern, at position: Int) -> UInt8 { pattern.literalBytes[position] }
    @inline(__always)
    func append(to text: inout [UInt8]) { text.append(self) }
    @inline(__always)
    func write(into writer: inout JSONWriter) { writer.text(self) }
    @inline(__always)
    static func joined(_ units: [UInt8]) -> String { String(decoding: units, as: UTF8.self) }
}

/// A grapheme cluster is classified by its first scalar, as the marks behind it belong to it.
extension Character: TextUnit {
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

    var isLowercaseLetter: Bool { category == .lowercaseLetter }
    var isUppercaseLetter: Bool { category == .uppercaseLetter || category == .titlecaseLetter }

    /// Any scalar counts: a sign that joins the digit behind it (U+0600) must not carry it off unseen.
    var isLetterOrNumber: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
            case .decimalNumber, .letterNumber, .otherNumber: true
            default: false
            }
        }
    }

    static func literal(of pattern: FormatPattern, at position: Int) -> Character { pattern.literals[position] }

    func append(to text: inout [UInt8]) { text.append(contentsOf: utf8) }
    func write(into writer: inout JSONWriter) { for byte in utf8 { writer.text(byte) } }
    static func joined(_ units: [Character]) -> String { String(units) }
}
