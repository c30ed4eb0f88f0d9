/// Text of URL paths (RFC 3986 section 3.3; docs/reference/proxy.md section 3).
enum PathText {
    /// Bytes of a path that is appended to a base URL; leading slashes, which mean nothing, are not included.
    private static let limit = 2_048

    /// Whether `text` may be a path or a part of one, before it is percent-encoded: no dot segment, backslash or control.
    static func isLiteral(_ text: String) -> Bool {
        guard text.utf8.drop(while: { $0 == UInt8(ascii: "/") }).count <= limit else { return false }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x5C: false
            default: true
            }
        }
        // By bytes: a slash with a combining mark behind it is one `Character`, and still ends a segment. Some servers drop what
        // follows a semicolon before they look for dots.
        return isPlain
            && !text.utf8.split(separator: UInt8(ascii: "/")).contains { segment in
                let name = segment.prefix { $0 != UInt8(ascii: ";") }
                return name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
            }
    }

    /// Whether `segment` can stand in a path as it is: each of its bytes is allowed there or is part of an escape, and what the
    /// escapes mean may be a segment.
    static func isEncodedSegment(_ segment: Substring.UTF8View) -> Bool {
        var decoded: [UInt8] = []
        var rest = segment
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard isAllowed(byte) else { return false }
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                return false
            }
            decoded.append(high << 4 | low)
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { return false }
        return isLiteral(text) && !text.utf8.contains(UInt8(ascii: "/"))
    }

    /// `text` with every byte that a segment may not hold as `%XX`.
    static func encode(_ text: Substring.UTF8View) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text {
            if isAllowed(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What a segment may hold (`pchar`), the percent sign aside.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@".utf8.contains(byte)
        }
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
