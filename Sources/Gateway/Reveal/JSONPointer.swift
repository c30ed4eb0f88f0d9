import JSON

/// A JSON pointer (RFC 6901) whose `*` is any index of an array.
struct JSONPointer: Sendable {
    /// The reference tokens, unescaped.
    let tokens: [String]

    /// Nil if `text` is no pointer.
    init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        var tokens: [String] = []
        for token in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let pieces = token.split(separator: "~", omittingEmptySubsequences: false)
            guard pieces.dropFirst().allSatisfy({ $0.first == "0" || $0.first == "1" }) else { return nil }
            // In this order, so that `~01` becomes `~1` (section 4).
            tokens.append(String(token.replacing("~1", with: "/").replacing("~0", with: "~")))
        }
        self.tokens = tokens
    }

    /// Whether the token at `depth` names this member.
    func matches(member key: String, at depth: Int) -> Bool {
        depth < tokens.count && tokens[depth].hasSameBytes(as: key)
    }

    /// Whether the token at `depth` names this element. An index has no leading zeros.
    func matches(element index: Int, at depth: Int) -> Bool {
        depth < tokens.count && (tokens[depth] == "*" || tokens[depth] == String(index))
    }
}
