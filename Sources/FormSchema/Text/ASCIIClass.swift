internal import JSON

/// The classes of ASCII characters that a pattern tells apart (`docs/reference/fields.md` section 3).
struct ASCIIClass: OptionSet {
    let rawValue: UInt8

    static let digit = ASCIIClass(rawValue: 1)
    static let lowercase = ASCIIClass(rawValue: 2)
    static let uppercase = ASCIIClass(rawValue: 4)
    static let letter: ASCIIClass = [.lowercase, .uppercase]
    static let alphanumeric: ASCIIClass = [.digit, .letter]

    @inline(__always)
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The class of one byte; empty for a byte that is neither a letter nor a digit.
    @inline(__always)
    init(of byte: UInt8) {
        self = byte.isDigit ? .digit : byte &- 0x61 < 26 ? .lowercase : byte &- 0x41 < 26 ? .uppercase : []
    }
}

/// `isDigit`, the one ASCII digit test of these modules, is declared in `JSON`.
extension UInt8 {
    @inline(__always)
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
    @inline(__always)
    var isAlphanumeric: Bool { isDigit || isLetter }
}
