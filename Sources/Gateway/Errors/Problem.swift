import JSON

/// A ``CallError`` as the client plane renders it: RFC 9457 with the VGSError inside (`docs/reference/proxy.md` section 6).
struct Problem: Sendable {
    /// The namespace of `code` and `type`.
    enum Domain: String, Sendable {
        case collect = "vgscollect.sdk"
        case url = "NSURLErrorDomain"
        case cloakroom = "cloakroom"
    }

    /// A member of `extraInfo`.
    enum Extra: Sendable {
        case number(Int)
        case flag(Bool)
        case text(String)
        case names([String])
        /// Mistakes of a form, as `[{path, message}]`.
        case mistakes([(path: String, message: String)])
    }

    let status: Int
    let type: String
    let title: String
    /// One sentence for a developer; names of fields, never values.
    let detail: String
    let domain: Domain
    let code: Int
    /// Nil where the table has none.
    var key: String?
    var extraInfo: [(name: String, value: Extra)] = []
    /// Headers of the response, such as `Allow`.
    var headers: [(String, String)] = []
    /// The states of all fields as one JSON object; nil if the problem is not about fields.
    var states: [UInt8]?

    init(
        status: Int, type: String, title: String, detail: String, domain: Domain, code: Int? = nil, key: String? = nil
    ) {
        self.status = status
        self.type = type
        self.title = title
        self.detail = detail
        self.domain = domain
        self.code = code ?? status
        self.key = key
    }

    static let mediaType = "application/problem+json"

    /// Writes the body.
    ///
    /// - Parameters:
    ///   - instance: path of the request; nil leaves the member out.
    ///   - requestID: nil leaves the member out.
    func write(into json: inout JSONWriter, instance: String? = nil, requestID: String? = nil) {
        json.beginObject()
        json.key("type")
        json.string("urn:cloakroom:problem:" + type)
        json.key("title")
        json.string(title)
        json.key("status")
        json.number(status)
        json.key("detail")
        json.string(detail)
        if let instance {
            json.key("instance")
            json.string(instance)
        }
        if let requestID {
            json.key("requestId")
            json.string(requestID)
        }
        json.key("error")
        writeError(into: &json)
        if let states {
            json.key("fields")
            json.verbatim(states)
        }
        json.endObject()
    }

    private func writeError(into json: inout JSONWriter) {
        json.beginObject()
        json.key("domain")
        json.string(domain.rawValue)
        json.key("code")
        json.number(code)
        json.key("type")
        json.string(type)
        json.key("userInfo")
        json.beginObject()
        if let key {
            json.key("key")
            json.string(key)
        }
        json.key("NSLocalizedDescription")
        json.string(title)
        json.key("extraInfo")
        json.beginObject()
        for (name, value) in extraInfo {
            json.key(name)
            write(value, into: &json)
        }
        json.endObject()
        json.endObject()
        json.endObject()
    }

    private func write(_ value: Extra, into json: inout JSONWriter) {
        switch value {
        case .number(let number): json.number(number)
        case .flag(let flag): json.bool(flag)
        case .text(let text): json.string(text)
        case .names(let names):
            json.strings(names)
        case .mistakes(let mistakes):
            json.beginArray()
            for mistake in mistakes {
                json.beginObject()
                json.key("path")
                json.string(mistake.path)
                json.key("message")
                json.string(mistake.message)
                json.endObject()
            }
            json.endArray()
        }
    }
}
