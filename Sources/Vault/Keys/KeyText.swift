/// Keys as text.
enum KeyText {
    /// The bytes that base64 spells, with or without padding.
    static func base64(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var held = 0
        let unpadded = text.reversed().drop { $0 == 0x3d }.reversed()
        for byte in unpadded {
            guard let six = sixBits(byte) else { return nil }
            bits = (bits << 6 | six) & 0xffff
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        return bytes
    }

    private static func sixBits(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x41...0x5a: UInt32(byte - 0x41)
        case 0x61...0x7a: UInt32(byte - 0x61) + 26
        case 0x30...0x39: UInt32(byte - 0x30) + 52
        case 0x2b: 62
        case 0x2f: 63
        default: nil
        }
    }
}
