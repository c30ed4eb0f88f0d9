import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A method that a call or a `send` may use.
public enum HTTPMethod: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

/// One call before it is sent.
struct Request {
    let method: HTTPMethod
    /// Segments, not encoded.
    var path: [String]
    var headers: [String: String] = [:]
    var idempotencyKey: IdempotencyKey?
    /// Whether a second request does no harm: nothing is stored or forwarded, or only once.
    var isRepeatable: Bool
    private(set) var body: Data?

    init(_ method: HTTPMethod, _ path: [String]) {
        self.method = method
        self.path = path
        isRepeatable = method == .get
    }

    mutating func setBody(_ content: some Encodable) throws(CloakroomError) {
        let encoder = JSONEncoder()
        // A repetition under an idempotency key is the same request only with the same bytes.
        encoder.outputFormatting = .sortedKeys
        do { body = try encoder.encode(content) } catch { throw CloakroomError(kind: .unreadable) }
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
        guard let url = URL(string: text) else { throw CloakroomError(kind: .network) }
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
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
}

extension HTTPURLResponse {
    var isSuccess: Bool { 200...299 ~= statusCode }
}
