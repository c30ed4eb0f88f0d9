import Configuration
import Elements
import HTTPWire

/// Serves the files for browsers: scripts, the hosted frame and the engine (`docs/reference/browser.md` section 1).
struct ElementCalls: Sendable {
    /// By name; empty if `elements.enabled` is false.
    private let files: [String: ServedElement]
    private let isDevelopment: Bool

    private static let methods = "GET, HEAD, OPTIONS"

    init(_ configuration: Configuration) {
        files = configuration.servesElements ? Elements.files.mapValues(ServedElement.init) : [:]
        isDevelopment = configuration.listenAddresses.allSatisfy(\.isLoopback)
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
        switch call.head.method {
        case .get, .head: break
        case .options: return CallResponse(status: 204, headers: [("Allow", Self.methods)])
        default: throw .methodNotAllowed(allowed: Self.methods)
        }
        let policy = element.isFrame ? self.policy(of: call.head, origins) : nil
        let isCompressed = Self.acceptsGzip(call.head.all("Accept-Encoding"))
        var headers = element.headers(policy: policy, isImmutable: version != "v1", isCompressed: isCompressed)
        let tag = element.entityTag(policy: policy, isCompressed: isCompressed)
        if FormCalls.list(call.head.all("If-None-Match"), contains: tag) {
            headers.removeAll { $0.0 == "Content-Type" || $0.0 == "Content-Encoding" }
            return CallResponse(status: 304, headers: headers)
        }
        return CallResponse(
            status: 200, headers: headers, body: isCompressed ? element.file.compressed : element.file.bytes)
    }

    /// The policy of the frame for the form that the query names.
    private func policy(of head: RequestHead, _ origins: (String) -> [String]?) -> String {
        let forms = head.target.query.flatMap { try? Query($0) }?.all("form") ?? []
        let allowed = forms.count == 1 ? forms.first.flatMap(origins) : nil
        return FramePolicy.contentSecurity(origins: allowed ?? [], isDevelopment: isDevelopment)
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
