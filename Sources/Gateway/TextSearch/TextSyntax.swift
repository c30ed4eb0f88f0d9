/// What the bytes of a response are written as: it decides where a whole text begins and ends, and how an alias is escaped.
enum TextSyntax {
    case json
    /// `a=b&c=d`
    case form
    /// HTML and XML.
    case markup
    /// The value of a header.
    case header
    case plain

    /// `alias` as it may stand there. Aliases are letters, digits, hyphens and underscores; one in the format of an SSN keeps what separates the
    /// value's groups, such as a space.
    ///
    /// - Parameter isPercentEncoded: whether the value that stood there was.
    func escaped(_ alias: String, isPercentEncoded: Bool, into bytes: inout [UInt8]) {
        for byte in alias.utf8 {
            let isPlain = byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            if isPlain {
                bytes.append(byte)
            } else if isPercentEncoded || self == .form {
                bytes += [UInt8(ascii: "%"), Self.hexadecimal(byte >> 4), Self.hexadecimal(byte & 0xF)]
            } else if self == .json, byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes += Array("\\u00".utf8) + [Self.hexadecimal(byte >> 4), Self.hexadecimal(byte & 0xF)]
            } else {
                bytes.append(byte)
            }
        }
    }

    private static func hexadecimal(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
