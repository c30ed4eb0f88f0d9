/// The media types that the gateway reads.
enum MediaType {
    /// Whether a `Content-Type` says JSON in UTF-8: `application/json`, with `charset=utf-8` or without. Other parameters
    /// mean nothing for this type (RFC 8259 section 11).
    static func isJSON(_ header: String) -> Bool {
        if header == "application/json" { return true }
        let parts = header.split(separator: ";", omittingEmptySubsequences: false)
        guard let type = parts.first, type.trimmed.lowercased() == "application/json" else { return false }
        for parameter in parts.dropFirst() {
            let pair = parameter.trimmed.lowercased().split(separator: "=", maxSplits: 1)
            guard pair.first == "charset" else { continue }
            guard pair.count == 2, pair[1] == "utf-8" || pair[1] == "\"utf-8\"" else { return false }
        }
        return true
    }

    /// What the gateway can read of a body that it passes on.
    enum Readable {
        case json
        case form
    }

    /// JSON (also the types that are made of it, RFC 6839 section 3.1) or a form; nil for everything else.
    static func readable(_ header: String) -> Readable? {
        let type = header.prefix { $0 != ";" }.trimmed.lowercased()
        if type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json") { return .json }
        return type == "application/x-www-form-urlencoded" ? .form : nil
    }
}

extension Substring {
    /// Without the blanks around it (RFC 9110 section 5.6.3).
    fileprivate var trimmed: Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
