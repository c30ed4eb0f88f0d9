/// Bytes as pairs of hexadecimal digits (RFC 4648 section 8), written in lower case and read in either.
public enum Hexadecimal {
    /// Two lower-case digits a byte.
    public static func encode(_ bytes: [UInt8]) -> String { String(decoding: digits(of: bytes), as: UTF8.self) }

    /// The same as the bytes of ASCII.
    public static func digits(of bytes: [UInt8]) -> [UInt8] {
        // Sound: there is room for two digits a byte, and all of it is written.
        [UInt8](unsafeUninitializedCapacity: 2 * bytes.count) { text, count in
            for index in bytes.indices {
                text[2 * index] = digit(bytes[index] >> 4)
                text[2 * index + 1] = digit(bytes[index] & 15)
            }
            count = 2 * bytes.count
        }
    }

    /// Nil if `text` is not pairs of digits.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for byte in text {
            guard let value = value(of: byte) else { return nil }
            if let upper = high {
                bytes.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Whether the byte is a digit of either case.
    public static func isDigit(_ byte: UInt8) -> Bool { value(of: byte) != nil }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    private static func value(of byte: UInt8) -> UInt8? {
        if byte &- 0x30 < 10 { return byte - 0x30 }
        let letter = byte | 0x20
        return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
    }
}
