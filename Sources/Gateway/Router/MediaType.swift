import HTTPWire

/// The media types that the gateway reads.
enum MediaType {
    /// Whether the headers say that the body is JSON in UTF-8.
    static func isJSON(_ headers: Headers) -> Bool {
        // Nearly all callers write it so, and no text has to be made of it.
        if headers.holds("application/json", in: .contentType) { return true }
        return headers[.contentType].map(isJSON) ?? false
    }

    /// Whether a `Content-Type` says JSON in UTF-8: `application/json`, with `charset=utf-8` or without. Other parameters
    /// mean nothing for this type (RFC 8259 section 11).
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

    /// What the gateway can read of a body that it passes on.
    enum Readable {
        case json
        case form
    }

    /// JSON (also the types that are made of it, RFC 6839 section 3.1) or a form; nil for everything else.
    static func readable(_ header: String) -> Readable? {
        let type = header.utf8.prefix { $0 != UInt8(ascii: ";") }.trimmed.lowercased()
        if type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json") { return .json }
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
