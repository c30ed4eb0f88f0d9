#if !hasFeature(Embedded)

extension String {
    /// A part of a URL, decoded (RFC 3986 section 2.1), such as a password. Nil if an escape is broken, or what is decoded is not UTF-8.
    package init?(percentDecoded text: Substring) {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            // A sign would be taken for a part of the number.
            guard let digits = String(rest.prefix(2)), digits.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        self.init(validating: bytes, as: UTF8.self)
    }
}

#endif
