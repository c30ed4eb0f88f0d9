extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let semicolon = UInt8(ascii: ";")
    static let percent = UInt8(ascii: "%")

    /// Whether this is an ASCII digit.
    @inline(__always)
    var isDigit: Bool { self &- 0x30 < 10 }

    /// Whether this is optional white space, SP or HTAB (RFC 9110 section 5.6.3).
    @inline(__always)
    var isBlank: Bool { self == .space || self == .tab }

    /// Whether a header value may contain this byte: HTAB, SP, visible ASCII, and the upper half (RFC 9110 section 5.5).
    @inline(__always)
    var isFieldText: Bool { (self >= 0x20 && self != 0x7F) || self == .tab }

    /// The lower-case form of an ASCII letter; every other byte unchanged.
    @inline(__always)
    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of a hexadecimal digit.
    @inline(__always)
    var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self &- 0x30
        case 0x41...0x46: self &- 0x37
        case 0x61...0x66: self &- 0x57
        default: nil
        }
    }
}
