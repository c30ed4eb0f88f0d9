import HTTPWire

/// The path of a send: literal text that is appended to a route's base path (docs/reference/proxy.md section 3). Nothing in it
/// can reach another host, leave the base path or become a query.
struct ForwardPath: Sendable {
    /// Bytes that a path may have once it is decoded, those of its leading slashes, which mean nothing, not counted.
    static let limit = 2_048

    /// Why a path is refused.
    enum Fault: String, Error {
        case notText = "the path is not percent-encoded UTF-8"
        case tooLong = "the path has more than 2,048 bytes"
        case dotSegment = "the path has a segment . or .."
        case backslash = "the path has a backslash"
        case controlCharacter = "the path has a control character"
    }

    /// The segments percent-encoded, without a leading slash; a trailing slash is kept.
    let encoded: String

    /// - Parameter literal: the path as text, with no encoding of its own.
    init(literal: String) throws(Fault) {
        guard Self.count(literal) <= Self.limit else { throw .tooLong }
        try Self.check(literal)
        var encoded = ""
        // By bytes: a slash with a combining mark behind it is one `Character`, and still a slash to the upstream.
        for segment in literal.utf8.split(separator: UInt8(ascii: "/")) {
            // Some servers take what follows a semicolon off before they look at dots.
            let name = segment.prefix { $0 != UInt8(ascii: ";") }
            if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { throw .dotSegment }
            if !encoded.isEmpty { encoded += "/" }
            encoded += PercentEncoding.encode(String(Substring(segment)), for: .pathSegment)
        }
        if !encoded.isEmpty, literal.utf8.last == UInt8(ascii: "/") { encoded += "/" }
        self.encoded = encoded
    }

    /// - Parameter raw: the path as it stands in a request's target. It is decoded exactly once: what still looks encoded
    ///   after that is literal text.
    init(raw: String) throws(Fault) {
        if Self.isPlain(raw) {
            self.init(encoded: raw.utf8.first == UInt8(ascii: "/") ? String(raw.dropFirst()) : raw)
            return
        }
        let literal: String
        do { literal = try PercentEncoding.decode(raw) } catch { throw .notText }
        try self.init(literal: literal)
    }

    /// A path of a request's target as text, as a session names the paths that it is for: decoded once, with the slashes that the
    /// upstream's path has. One that can't be decoded stays as it is; it is refused later.
    static func text(of raw: String) -> String {
        if raw.isEmpty { return "/" }
        if isPlain(raw) { return raw }
        guard let decoded = try? PercentEncoding.decode(raw) else { return raw }
        var text = ""
        for segment in decoded.utf8.split(separator: UInt8(ascii: "/")) { text += "/" + String(Substring(segment)) }
        return text.isEmpty || decoded.utf8.last == UInt8(ascii: "/") ? text + "/" : text
    }

    /// - Parameter encoded: segments that have been checked.
    init(encoded: String) { self.encoded = encoded }

    private static func count(_ path: String) -> Int { path.utf8.drop { $0 == UInt8(ascii: "/") }.count }

    /// Whether nothing has to be decoded, dropped, encoded or refused: only letters, digits, `-` and `_`, and slashes that
    /// stand alone. So are nearly all paths.
    private static func isPlain(_ path: String) -> Bool {
        guard count(path) <= limit else { return false }
        var follows = false
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                follows = false
            case UInt8(ascii: "/") where !follows: follows = true
            default: return false
            }
        }
        return true
    }

    /// Controls are those of ASCII and Latin-1 (U+0080 to U+009F), Unicode's category Cc.
    private static func check(_ text: String) throws(Fault) {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F: throw .controlCharacter
            case 0x5C: throw .backslash
            default: break
            }
        }
    }

    /// This path after `base`, which begins with a slash; an empty path is the base itself.
    func appended(to base: String) -> String {
        if encoded.isEmpty { return base }
        return base.utf8.last == UInt8(ascii: "/") ? base + encoded : base + "/" + encoded
    }
}
