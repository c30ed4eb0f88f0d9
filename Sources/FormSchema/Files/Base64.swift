/// Base64 of submitted files (RFC 4648 section 4): padded, no line breaks, nothing outside the alphabet. One tolerance: unused bits
/// before the padding may be set, as section 3.5 leaves open, and are ignored.
enum Base64 {
    /// The bytes that `text` encodes; nil if it is not base64.
    static func decode(_ text: String) -> [UInt8]? {
        let input = text.utf8
        guard input.count % 4 == 0 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(input.count / 4 * 3)
        var group: UInt32 = 0
        var digits = 0
        var padding = 0
        for byte in input {
            if byte == UInt8(ascii: "=") {
                padding += 1
                group <<= 6
            } else {
                guard padding == 0, let value = value(of: byte) else { return nil }
                group = group << 6 | value
            }
            digits += 1
            guard digits == 4 else { continue }
            guard padding <= 2 else { return nil }
            output.append(UInt8(truncatingIfNeeded: group >> 16))
            if padding < 2 { output.append(UInt8(truncatingIfNeeded: group >> 8)) }
            if padding < 1 { output.append(UInt8(truncatingIfNeeded: group)) }
            group = 0
            digits = 0
        }
        return output
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - 0x41)
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - 0x61 + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - 0x30 + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
