import JSON

/// A JSON pointer (RFC 6901) whose `*` is any index of an array.
public struct JSONPointer: Sendable, Hashable {
    /// The reference tokens, unescaped.
    public let tokens: [String]
    /// As it is written.
    public let text: String

    /// Nil if `text` is no pointer.
    public init?(_ text: String) {
        let slash = UInt8(ascii: "/")
        guard text.isEmpty || text.utf8.first == slash else { return nil }
        var tokens: [String] = []
        // By bytes: a slash with a combining mark behind it is one `Character`, and yet ends a token.
        for token in text.utf8.split(separator: slash, omittingEmptySubsequences: false).dropFirst() {
            guard let token = Self.unescaped(token) else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
        self.text = text
    }

    /// `~1` is a slash and `~0` a tilde, each once (section 4); nil if another tilde stands there.
    private static func unescaped(_ token: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = token.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.next() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the token at `depth` names this member.
    public func names(member key: String, at depth: Int) -> Bool {
        depth < tokens.count && tokens[depth].hasSameBytes(as: key)
    }

    /// Whether the token at `depth` names this member, or is a `*` that stands for any.
    public func selects(member key: String, at depth: Int) -> Bool {
        depth < tokens.count && (tokens[depth] == "*" || tokens[depth].hasSameBytes(as: key))
    }

    /// Whether the token at `depth` names this element, or is a `*` that stands for any. An index has no leading zeros.
    public func selects(element index: Int, at depth: Int) -> Bool {
        depth < tokens.count && (tokens[depth] == "*" || tokens[depth] == String(index))
    }
}
