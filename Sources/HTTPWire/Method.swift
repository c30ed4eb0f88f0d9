/// A request method. Methods are case-sensitive: `get` is not `GET` (RFC 9110 section 9.1).
public enum Method: Sendable, Hashable, CustomStringConvertible {
    case get
    case head
    case post
    case put
    case patch
    case delete
    case options
    case connect
    case trace
    case other(String)

    /// The method named `name`; the name is not checked.
    public init(_ name: String) {
        switch name {
        case "GET": self = .get
        case "HEAD": self = .head
        case "POST": self = .post
        case "PUT": self = .put
        case "PATCH": self = .patch
        case "DELETE": self = .delete
        case "OPTIONS": self = .options
        case "CONNECT": self = .connect
        case "TRACE": self = .trace
        default: self = .other(name)
        }
    }

    /// The name as written in a request line.
    public var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .connect: "CONNECT"
        case .trace: "TRACE"
        case .other(let name): name
        }
    }

    public var description: String { name }

    /// Whether a request of this method usually has content, so that its absence is stated by `Content-Length: 0`
    /// (RFC 9110 section 8.6).
    var anticipatesContent: Bool {
        switch self {
        case .post, .put, .patch: true
        default: false
        }
    }

    /// The method in `range`, whose bytes have been checked to be a token.
    static func recognise(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Method {
        let at = range.lowerBound
        switch range.count {
        case 3 where bytes.holds("GET", at: at): return .get
        case 3 where bytes.holds("PUT", at: at): return .put
        case 4 where bytes.holds("POST", at: at): return .post
        case 4 where bytes.holds("HEAD", at: at): return .head
        case 5 where bytes.holds("PATCH", at: at): return .patch
        case 5 where bytes.holds("TRACE", at: at): return .trace
        case 6 where bytes.holds("DELETE", at: at): return .delete
        case 7 where bytes.holds("OPTIONS", at: at): return .options
        case 7 where bytes.holds("CONNECT", at: at): return .connect
        default: return .other(bytes.text(range))
        }
    }
}
