import JSON

extension UInt8 {
    var isASCIIAlphanumeric: Bool { isDigit || (self | 0x20) &- 0x61 < 26 }

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
