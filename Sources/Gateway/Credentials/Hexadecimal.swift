/// Bytes as pairs of lower-case hexadecimal digits (RFC 4648 section 8, in lower case).
enum Hexadecimal {
    static func encode(_ bytes: [UInt8]) -> String {
        let digits: [UInt8] = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Nil if `text` is not pairs of digits.
    static func decode(_ text: Substring) -> [UInt8]? {
        let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
