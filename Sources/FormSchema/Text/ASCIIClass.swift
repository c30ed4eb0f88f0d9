/// The classes of ASCII characters that a pattern tells apart (`fields.md` section 3).
struct ASCIIClass: OptionSet {
    let rawValue: UInt8

    static let digit = ASCIIClass(rawValue: 1)
    static let lowercase = ASCIIClass(rawValue: 2)
    static let uppercase = ASCIIClass(rawValue: 4)
    static let letter: ASCIIClass = [.lowercase, .uppercase]
    static let alphanumeric: ASCIIClass = [.digit, .letter]

    @inline(__always)
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The class of one byte; none for what is no letter and no digit.
    @inline(__always)
    init(of byte: UInt8) {
        self = byte.isDigit ? .digit : byte &- 0x61 < 26 ? .lowercase : byte &- 0x41 < 26 ? .uppercase : []
    }
}

extension UInt8 {
    @inline(__always)
    var isDigit: Bool { self &- 0x30 < 10 }
    @inline(__always)
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
    @inline(__always)
    var isAlphanumeric: Bool { isDigit || isLetter }
}
