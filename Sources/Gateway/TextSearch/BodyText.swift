import EventHTTP
import HTTPWire

/// What the headers of a request or response say of its body: whether it is text in which values can be found, and in which syntax.
enum BodyText {
    /// How the body is written.
    struct Kind {
        let syntax: TextSyntax
        /// Whether ASCII is all that is known of its charset. Other letters are written in a way of its own.
        var isASCIIAlone = false
    }

    static func kind(of response: ClientResponse) throws(WithheldReason) -> Kind {
        let headers = response.headers
        if headers.contains("Content-Encoding"), headers.hasContentCoding { throw WithheldReason.contentCoding }
        if response.status == 206 || headers.contains("Content-Range") { throw WithheldReason.partial }
        if let type = headers.onlyText("Content-Type") {
            guard let kind = kind(ofType: type) else { throw WithheldReason.notText }
            return kind
        }
        // What comes without a type is looked at as it is: a body that is no text has bytes that no text has.
        guard !headers.contains("Content-Type") else { throw WithheldReason.notText }
        return Kind(syntax: .plain)
    }

    /// Nil for types that are not text, and for charsets that ASCII is no part of.
    static func kind(ofType header: String) -> Kind? {
        // Nearly all responses.
        if header == "application/json" { return Kind(syntax: .json) }
        let parts = parts(ofType: header)
        guard let type = parts.first, let syntax = syntax(ofType: type), let coding = coding(parts) else { return nil }
        return Kind(syntax: syntax, isASCIIAlone: coding == .holdsASCII)
    }

    /// Why digits can't be found in a body, by its headers; nil if they can. Bytes that are no text are looked through as they are.
    static func obstacle(_ headers: Headers) -> WithheldReason? {
        if headers.contains("Content-Encoding"), headers.hasContentCoding { return .contentCoding }
        // Nearly all responses.
        if headers.holds("application/json", in: .contentType) { return nil }
        guard let type = headers.onlyText("Content-Type"), coding(parts(ofType: type)) == nil else { return nil }
        return .charset
    }

    /// Whether a body is JSON, or a sequence of it, by its type: a number in it is replaced by a text.
    static func isWrittenAsJSON(_ headers: Headers) -> Bool {
        // Nearly all responses.
        if headers.holds("application/json", in: .contentType) { return true }
        return headers[.contentType].flatMap { parts(ofType: $0).first }.flatMap { syntax(ofType: $0) } == .json
    }

    /// Whether a body is text, by its type; one without a type is taken for text.
    static func isText(_ headers: Headers) -> Bool {
        headers.onlyText("Content-Type").map { parts(ofType: $0).first.flatMap { syntax(ofType: $0) } != nil } ?? true
    }

    /// The type and its parameters, in lower case.
    private static func parts(ofType header: String) -> [String] {
        header.lowercased().split(separator: ";", omittingEmptySubsequences: false).map { part in
            // Blanks around `=` are not allowed (RFC 9110 section 5.6.6), and many take them.
            part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { word in
                String(word.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
            }.joined(separator: "=")
        }
    }

    /// UTF-8 unless a charset says otherwise; nil for charsets that ASCII is no part of.
    private static func coding(_ parts: [String]) -> TextCoding? {
        var coding = TextCoding.utf8
        for part in parts.dropFirst() where part.hasPrefix("charset=") {
            guard let other = TextCoding(charset: part.dropFirst("charset=".count)) else { return nil }
            coding = other
        }
        return coding
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
