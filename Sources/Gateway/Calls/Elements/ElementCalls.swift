import Elements
import HTTPWire

/// Serves the files for browsers: scripts, the hosted frame and the engine (`docs/reference/browser.md` section 1).
struct ElementCalls: Sendable {
    /// By name; empty if `elements.enabled` is false.
    private let files: [String: ServedElement]
    /// The files of the demo; empty unless the gateway is a sandbox on loopback.
    private let demoFiles: [String: ServedElement]
    /// The files of the page that describes the calls.
    private let docsFiles: [String: ServedElement]
    private let isDevelopment: Bool

    /// - Parameters:
    ///   - isEnabled: `elements.enabled`.
    ///   - isDevelopment: whether all listeners are on loopback.
    ///   - isSandbox: whether the vault's environment is the sandbox.
    init(isEnabled: Bool, isDevelopment: Bool, isSandbox: Bool) {
        self.isDevelopment = isDevelopment
        let embedded = Elements.files.mapValues(ServedElement.init)
        docsFiles = embedded.filter { $0.value.isDocs }
        let all = isEnabled ? embedded.filter { !$0.value.isDocs } : [:]
        files = all.filter { !$0.value.isDemo }
        demoFiles = isDevelopment && isSandbox ? all.filter { $0.value.isDemo } : [:]
    }

    /// `/demo` and its files: a page that embeds the fields from `127.0.0.1` if the page came from `localhost`, and the reverse: two
    /// origins.
    func demo(_ call: Call, file: String) throws(CallError) -> CallResponse {
        guard let element = demoFiles[file] else { throw .notFound("there is nothing at this path") }
        return try respond(to: call, with: element, policy: FramePolicy.demo, isImmutable: false)
    }

    /// `GET /docs` and its files: the calls of this gateway and the reference pages, to read and to try.
    ///
    /// - Parameter isServed: `docs.enabled`.
    func docs(_ call: Call, file: String, isServed: Bool) throws(CallError) -> CallResponse {
        guard isServed, let element = docsFiles[file] else { throw .notFound("there is nothing at this path") }
        return try respond(to: call, with: element, policy: FramePolicy.docs, isImmutable: false)
    }

    /// - Parameters:
    ///   - version: `v1`, or the hash of the build.
    ///   - origins: the `allowedOrigins` of a form; nil if there is no such form.
    func respond(
        to call: Call, version: String, file: String, origins: (String) -> [String]?
    ) throws(CallError) -> CallResponse {
        guard let element = files[file], version == "v1" || version == Elements.buildHash else {
            throw .notFound("there is nothing at this path")
        }
        let policy = element.isFrame ? self.policy(of: call.head, origins) : nil
        return try respond(to: call, with: element, policy: policy, isImmutable: version != "v1")
    }

    private func respond(
        to call: Call, with element: ServedElement, policy: String?, isImmutable: Bool
    ) throws(CallError) -> CallResponse {
        if let options = try call.optionsResponse() { return options }
        let isCompressed = Self.acceptsGzip(call.head.all("Accept-Encoding"))
        var headers = element.headers(policy: policy, isImmutable: isImmutable, isCompressed: isCompressed)
        let tag = element.entityTag(policy: policy, isCompressed: isCompressed)
        if EntityTag.isListed(tag, in: call.head.all("If-None-Match")) {
            headers.removeAll { $0.0 == "Content-Type" || $0.0 == "Content-Encoding" }
            return CallResponse(status: 304, headers: headers)
        }
        return CallResponse(
            status: 200, headers: headers, body: isCompressed ? element.file.compressed : element.file.bytes)
    }

    /// The policy of the frame for the form that the query names.
    ///
    /// Browsers also load a frame whose query is malformed or names two forms, and may read another form from it than we do. Then only the
    /// gateway's own pages may embed it, in development too.
    private func policy(of head: RequestHead, _ origins: (String) -> [String]?) -> String {
        let forms = head.target.query.map { (try? Query($0))?.all("form") } ?? []
        guard let forms, forms.count < 2 else { return FramePolicy.contentSecurity(origins: [], isDevelopment: false) }
        return FramePolicy.contentSecurity(
            origins: forms.first.flatMap(origins) ?? [], isDevelopment: isDevelopment)
    }

    /// Whether `Accept-Encoding` allows gzip (RFC 9110 section 12.5.3).
    static func acceptsGzip(_ lines: [String]) -> Bool {
        var wildcard = false
        for part in lines.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }) {
            let text = String(Substring(part)).lowercased().filter { $0 != " " && $0 != "\t" }
            let coding = text.prefix { $0 != ";" }
            let weight = text.dropFirst(coding.count)
            // Weights of zero: 0, 0.0, 0.00, 0.000.
            let isAllowed = !(weight.hasPrefix(";q=0") && weight.dropFirst(4).allSatisfy { $0 == "." || $0 == "0" })
            if coding == "gzip" || coding == "x-gzip" { return isAllowed }
            if coding == "*" { wildcard = isAllowed }
        }
        return wildcard
    }
}
