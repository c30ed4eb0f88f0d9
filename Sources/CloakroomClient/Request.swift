import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A method that a `send` may use: one whose requests have a body.
public enum HTTPMethod: String, Sendable {
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

/// One call before it is sent.
struct Request {
    let method: String
    /// Segments, not encoded.
    var path: [String]
    private var headers: [String: String] = [:]
    var idempotencyKey: IdempotencyKey?
    /// Whether a second request does no harm: nothing is stored or forwarded, or only once.
    var isRepeatable: Bool
    private(set) var body: Data?

    init(_ method: HTTPMethod, _ path: [String]) {
        self.method = method.rawValue
        self.path = path
        isRepeatable = false
    }

    /// What only reads.
    init(reading path: [String]) {
        method = "GET"
        self.path = path
        isRepeatable = true
    }

    mutating func setBody(_ content: some Encodable) throws(CloakroomError) {
        let encoder = JSONEncoder()
        // A repetition under an idempotency key is the same request only with the same bytes.
        encoder.outputFormatting = .sortedKeys
        do { body = try encoder.encode(content) } catch { throw CloakroomError(kind: .malformedRequest) }
    }

    /// Takes the caller's headers. An idempotency key among them is the request's: as a header alone it would allow no repetition. What
    /// the client or the connection sets itself is refused, and so are two names that differ only in case, for one would be lost.
    mutating func addHeaders(_ given: [String: String]) throws(CloakroomError) {
        var names: Set<String> = []
        for (name, value) in given {
            let lowercased = name.lowercased()
            guard name.isToken, names.insert(lowercased).inserted, !Self.ownHeaders.contains(lowercased) else {
                throw CloakroomError(kind: .malformedRequest)
            }
            if lowercased == "idempotency-key" {
                guard idempotencyKey == nil else { throw CloakroomError(kind: .malformedRequest) }
                idempotencyKey = IdempotencyKey(value)
            } else {
                headers[name] = value
            }
        }
    }

    private static let ownHeaders: Set = [
        "connection", "content-encoding", "content-length", "content-type", "expect", "host", "transfer-encoding",
    ]

    /// Letters, digits and `-._~`: what needs no encoding in any part of a URL (RFC 3986 section 2.3).
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    func urlRequest(to gateway: URL, as credential: Cloakroom.Credential?) throws(CloakroomError) -> URLRequest {
        var text = gateway.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        for segment in path {
            text += "/" + (segment.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? "")
        }
        // They would be taken for steps up, out of the form.
        let leaves = path.contains(".") || path.contains("..")
        guard !leaves, let url = URL(string: text) else { throw CloakroomError(kind: .malformedRequest) }
        let isAuthorized = headers.keys.contains { $0.lowercased() == "authorization" }
        guard idempotencyKey?.isSendable != false, credential == nil || !isAuthorized else {
            throw CloakroomError(kind: .malformedRequest)
        }
        try requireLines(credential)
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let idempotencyKey { request.setValue(idempotencyKey.text, forHTTPHeaderField: "Idempotency-Key") }
        switch credential {
        case .bearer(let token): request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
        case .basic(let username, let secret):
            let pair = Data("\(username):\(secret)".utf8).base64EncodedString()
            request.setValue("Basic " + pair, forHTTPHeaderField: "Authorization")
        case nil: break
        }
        return request
    }

    /// Refuses texts that would end a line of the request's head, and could then write the next one.
    private func requireLines(_ credential: Cloakroom.Credential?) throws(CloakroomError) {
        var texts = Array(headers.keys) + headers.values
        if case .bearer(let token) = credential { texts.append(token) }
        let isControl = { (scalar: Unicode.Scalar) in scalar != "\t" && scalar.properties.generalCategory == .control }
        guard texts.allSatisfy({ !$0.unicodeScalars.contains(where: isControl) }) else {
            throw CloakroomError(kind: .malformedRequest)
        }
    }
}

extension String {
    /// Whether it is a name of a header (RFC 9110 section 5.1).
    fileprivate var isToken: Bool {
        let marks = "!#$%&'*+-.^_`|~".utf8
        return !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: marks.contains(byte)
                }
            }
    }
}

extension HTTPURLResponse {
    var isSuccess: Bool { 200...299 ~= statusCode }

    /// Whether it came from an upstream: nothing else has this header.
    var isUpstreams: Bool { value(forHTTPHeaderField: "Cloakroom-Upstream-Status") != nil }

    var isJSON: Bool { value(forHTTPHeaderField: "Content-Type")?.hasPrefix("application/json") == true }
}
