/// The path of a send: literal text that is appended to a route's base path (reference, proxy section 3). Nothing in it
/// can reach another host, leave the base path or become a query.
struct ForwardPath: Sendable {
    /// Bytes that a path may have once it is decoded.
    static let limit = 2_048

    /// Why a path is refused.
    enum Refusal: String, Error {
        case badEscape = "the path has a % that no two hexadecimal digits follow"
        case notUTF8 = "the path is not UTF-8"
        case tooLong = "the path has more than 2,048 bytes"
        case dotSegment = "the path has a segment . or .."
        case backslash = "the path has a backslash"
        case controlCharacter = "the path has a control character"
    }

    /// The segments percent-encoded, without a leading slash; a trailing slash is kept.
    let encoded: String

    /// - Parameter literal: the path as text, with no encoding of its own.
    init(literal: some Collection<UInt8>) throws(Refusal) {
        guard literal.count <= Self.limit else { throw .tooLong }
        try Self.check(literal)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(literal.count)
        for segment in literal.split(separator: UInt8(ascii: "/")) {
            if segment.first == UInt8(ascii: "."),
                segment.count == 1 || segment.count == 2 && segment.allSatisfy({ $0 == UInt8(ascii: ".") })
            {
                throw .dotSegment
            }
            if !encoded.isEmpty { encoded.append(UInt8(ascii: "/")) }
            for byte in segment { Self.append(byte, to: &encoded) }
        }
        if !encoded.isEmpty, literal.last == UInt8(ascii: "/") { encoded.append(UInt8(ascii: "/")) }
        self.encoded = String(decoding: encoded, as: UTF8.self)
    }

    /// - Parameter raw: the path as it stands in a request's target. It is decoded exactly once: what still looks encoded
    ///   after that is literal text.
    init(raw: Substring.UTF8View) throws(Refusal) {
        guard raw.count <= Self.limit * 3 else { throw .tooLong }
        guard let decoded = PercentEncoding.decode(raw) else { throw .badEscape }
        try self.init(literal: decoded)
    }

    private static func check(_ bytes: some Collection<UInt8>) throws(Refusal) {
        var isASCII = true
        for byte in bytes {
            if byte < 0x20 || byte == 0x7F { throw .controlCharacter }
            if byte == UInt8(ascii: "\\") { throw .backslash }
            if byte >= 0x80 { isASCII = false }
        }
        if isASCII { return }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        // The controls of Latin-1 (U+0080 to U+009F) are controls too, and so are the separators of lines.
        let isControl = text.unicodeScalars.contains { (0x80...0x9F).contains($0.value) || (0x2028...0x2029).contains($0.value) }
        if isControl { throw .controlCharacter }
    }

    /// Letters, digits and `- . _ ~ ! $ & ' ( ) * + , ; = : @` stay (RFC 3986 section 3.3, pchar), all else is encoded.
    private static func append(_ byte: UInt8, to encoded: inout [UInt8]) {
        if PercentEncoding.isPathCharacter(byte) {
            encoded.append(byte)
        } else {
            encoded.append(UInt8(ascii: "%"))
            encoded.append(PercentEncoding.hexDigit(byte >> 4))
            encoded.append(PercentEncoding.hexDigit(byte & 0xF))
        }
    }

    /// This path after `base`, which begins with a slash; an empty path is the base itself.
    func appended(to base: String) -> String {
        if encoded.isEmpty { return base }
        return base.hasSuffix("/") ? base + encoded : base + "/" + encoded
    }
}
