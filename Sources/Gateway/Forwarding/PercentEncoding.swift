/// Percent-encoding of RFC 3986 section 2.1.
enum PercentEncoding {
    /// The bytes that `text` stands for, decoded exactly once; nil if a `%` is not followed by two hexadecimal digits.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            if byte != UInt8(ascii: "%") {
                decoded.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(value(ofHexDigit:)), let low = rest.next().flatMap(value(ofHexDigit:))
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }

    /// `text` decoded once as UTF-8; nil if it is not encoded text.
    static func decodeText(_ text: Substring) -> String? {
        if !text.utf8.contains(UInt8(ascii: "%")) { return String(text) }
        return decode(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    static func value(ofHexDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// RFC 3986 section 3.3: `pchar` without the escapes.
    static func isPathCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","),
            UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"):
            true
        default: false
        }
    }
}
