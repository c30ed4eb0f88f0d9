/// Base64 (RFC 4648). The one reader of the server; its tolerance: padding may be left out, wholly or in part, as some clients
/// of HTTP Basic and some makers of keys do, and bits behind the last whole byte are not looked at. Line breaks, white space
/// and every other character outside the alphabet are refused.
public enum Base64 {
    /// What stands for 62 and 63.
    public enum Alphabet: Sendable {
        /// `+` and `/` (section 4).
        case standard
        /// `-` and `_` (section 5), as in tokens and URLs.
        case url
    }

    /// The bytes; nil if `text` is not base64.
    public static func decode(_ text: some StringProtocol, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        decode(Array(text.utf8), alphabet)
    }

    /// The bytes that ASCII text spells; nil if it is not base64.
    public static func decode(_ text: [UInt8], _ alphabet: Alphabet = .standard) -> [UInt8]? {
        var digits = text[...]
        while digits.last == UInt8(ascii: "="), text.count - digits.count < 2 { digits.removeLast() }
        let wanting = (4 - digits.count % 4) % 4
        guard wanting < 3, text.count - digits.count <= wanting else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        for digit in digits {
            guard let value = value(of: digit, alphabet) else { return nil }
            buffer = (buffer << 6 | value) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        return bytes
    }

    private static func value(of digit: UInt8, _ alphabet: Alphabet) -> UInt32? {
        switch (digit, alphabet) {
        case (UInt8(ascii: "A")...UInt8(ascii: "Z"), _): UInt32(digit - UInt8(ascii: "A"))
        case (UInt8(ascii: "a")...UInt8(ascii: "z"), _): UInt32(digit - UInt8(ascii: "a")) + 26
        case (UInt8(ascii: "0")...UInt8(ascii: "9"), _): UInt32(digit - UInt8(ascii: "0")) + 52
        case (UInt8(ascii: "+"), .standard), (UInt8(ascii: "-"), .url): 62
        case (UInt8(ascii: "/"), .standard), (UInt8(ascii: "_"), .url): 63
        default: nil
        }
    }
}

extension Base64 {
    private static let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let standardDigits = Array((common + "+/").utf8)
    private static let urlDigits = Array((common + "-_").utf8)

    /// With padding in the standard alphabet, without in that of URLs (RFC 7515 section 2).
    public static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> String {
        let digits = alphabet == .standard ? standardDigits : urlDigits
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var word: UInt32 = 0
            for byte in group { word = word << 8 | UInt32(byte) }
            word <<= UInt32((3 - group.count) * 8)
            for place in 0..<4 {
                if place <= group.count {
                    text.append(digits[Int(word >> UInt32(18 - place * 6) & 63)])
                } else if alphabet == .standard {
                    text.append(UInt8(ascii: "="))
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
