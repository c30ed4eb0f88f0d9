import EventHTTP
import HTTPWire

/// Whether an upstream's body is text in which values can be found, by what its headers say of it.
enum ReturnedText {
    /// What the body is written as.
    ///
    /// - Parameter hasForeignLetters: whether a value has other letters than those of ASCII, which each charset writes in its own way.
    static func syntax(of response: ClientResponse, hasForeignLetters: Bool) throws(Unsearchable) -> TextSyntax {
        if response.headers.hasContentCoding { throw Unsearchable(reason: .contentCoding) }
        if response.status == 206 || response.headers.contains("Content-Range") { throw Unsearchable(reason: .partial) }
        let types = response.headers.all("Content-Type")
        // What comes without a type is looked at as it is: whatever no text holds is found in it.
        guard let type = types.first else { return .plain }
        guard types.count == 1, let syntax = syntax(of: type, hasForeignLetters: hasForeignLetters) else {
            throw Unsearchable(reason: .notText)
        }
        return syntax
    }

    struct Unsearchable: Error {
        let reason: WithheldReason
    }

    /// Nil for types that are not text, and for charsets that ASCII is no part of.
    static func syntax(of header: String, hasForeignLetters: Bool) -> TextSyntax? {
        let parts = header.lowercased().split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        }
        guard let type = parts.first, let syntax = syntax(ofType: String(type)) else { return nil }
        for part in parts.dropFirst() where part.hasPrefix("charset=") {
            let charset = part.dropFirst("charset=".count).filter { $0 != "\"" }
            guard charset != "utf-8", charset != "utf8", charset != "us-ascii", charset != "ascii" else { continue }
            guard !hasForeignLetters, charset.hasPrefix("iso-8859-") || charset.hasPrefix("windows-125") else {
                return nil
            }
        }
        return syntax
    }

    private static func syntax(ofType type: String) -> TextSyntax? {
        switch type {
        case "application/json", "text/json", "application/x-ndjson", "application/jsonl", "application/json-seq":
            return .json
        case "application/x-www-form-urlencoded": return .form
        case "text/html", "text/xml", "application/xml", "application/xhtml+xml": return .markup
        case "application/javascript", "application/yaml", "application/x-yaml", "application/toml", "application/sql",
            "application/graphql":
            return .plain
        default:
            if type.hasPrefix("application/"), type.hasSuffix("+json") { return .json }
            if type.hasSuffix("+xml") { return .markup }
            if type.hasPrefix("application/"), type.hasSuffix("+yaml") { return .plain }
            return type.hasPrefix("text/") ? .plain : nil
        }
    }
}
