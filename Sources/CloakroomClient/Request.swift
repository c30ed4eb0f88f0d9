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
    var headers: [String: String] = [:]
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
        try requireLines(credential)
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(idempotencyKey?.text, forHTTPHeaderField: "Idempotency-Key")
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
        if let idempotencyKey { texts.append(idempotencyKey.text) }
        if case .bearer(let token) = credential { texts.append(token) }
        let isControl = { (scalar: Unicode.Scalar) in scalar != "\t" && scalar.properties.generalCategory == .control }
        guard texts.allSatisfy({ !$0.unicodeScalars.contains(where: isControl) }) else {
            throw CloakroomError(kind: .malformedRequest)
        }
    }
}

extension HTTPURLResponse {
    var isSuccess: Bool { 200...299 ~= statusCode }

    /// Whether it came from an upstream: nothing else has this header.
    var isUpstreams: Bool { value(forHTTPHeaderField: "Cloakroom-Upstream-Status") != nil }

    var isJSON: Bool { value(forHTTPHeaderField: "Content-Type")?.hasPrefix("application/json") == true }
}
