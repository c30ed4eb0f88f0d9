import HTTPWire

/// The media types that the gateway reads.
enum MediaType {
    /// Whether the headers say that the body is JSON in UTF-8.
    static func isJSON(_ headers: Headers) -> Bool {
        // The usual spelling is compared in place, without making a string.
        if headers.holds("application/json", in: .contentType) { return true }
        return headers[.contentType].map(isJSON) ?? false
    }

    /// Whether a `Content-Type` says JSON in UTF-8: `application/json`, with or without `charset=utf-8`. Other parameters
    /// have no meaning for this type (RFC 8259 section 11).
    static func isJSON(_ header: String) -> Bool {
        let parts = header.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let type = parts.first, type.trimmed.lowercased() == "application/json" else { return false }
        for parameter in parts.dropFirst() {
            let pair = parameter.trimmed.lowercased().split(separator: "=", maxSplits: 1)
            guard pair.first == "charset" else { continue }
            guard pair.count == 2, pair[1] == "utf-8" || pair[1] == "\"utf-8\"" else { return false }
        }
        return true
    }

    /// Bodies that a reveal route can search.
    enum Readable {
        case json
        case form
    }

    /// JSON (including `+json` types, RFC 6839 section 3.1, and the old `text/json`) or a form; nil for all other types.
    static func readable(_ header: String) -> Readable? {
        let type = header.utf8.prefix { $0 != UInt8(ascii: ";") }.trimmed.lowercased()
        if type == "application/json" || type == "text/json"
            || type.hasPrefix("application/") && type.hasSuffix("+json")
        {
            return .json
        }
        return type == "application/x-www-form-urlencoded" ? .form : nil
    }
}

extension Substring.UTF8View {
    /// Without the blanks around it (RFC 9110 section 5.6.3).
    fileprivate var trimmed: Substring {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var text = drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return Substring(text)
    }
}
