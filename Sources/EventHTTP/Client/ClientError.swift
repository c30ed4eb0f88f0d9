import EventIO
import HTTPWire

/// Why there is no answer (reference: errors of the gateway, domain `NSURLErrorDomain` and code 1400).
public enum ClientError: Error, Equatable, Sendable {
    /// -1001: the time for connecting or for the whole exchange has passed.
    case timedOut
    /// -1001 as well: the time has passed while what had come waited for its reader.
    case readerTooSlow
    /// -1003: the name does not resolve.
    case cannotFindHost
    /// -1004: refused or unreachable.
    case cannotConnectToHost
    /// -1005: closed or reset before the answer was complete.
    case networkConnectionLost
    /// -1200: handshake, certificate or host name; with OpenSSL's reason.
    case secureConnectionFailed(reason: String)
    /// -1011: HTTP, but malformed, or beyond the limits on headers or body.
    case badServerResponse
    /// -1011 as well: the body is beyond the limit.
    case answerTooLarge
    /// -1011 as well: the head is.
    case headTooLarge
    /// 1400: the peer answered, but not with HTTP.
    case unexpectedResponseType
    /// The request itself cannot be written: a header or target holds what HTTP does not allow there. Nothing was sent.
    case unsendableRequest
    /// All connections that the origin may have are in use, and too many requests wait for one. Nothing was sent.
    case overloaded
    /// The task was cancelled.
    case cancelled

    /// What failed while a connection was made.
    init(connecting error: IOError) {
        switch error {
        case .timedOut: self = .timedOut
        case .cannotFindHost: self = .cannotFindHost
        case .cancelled: self = .cancelled
        case .secureConnectionFailed(let reason), .unusableTLSFile(_, let reason):
            self = .secureConnectionFailed(reason: reason)
        case .cannotConnect, .system, .connectionLost, .closed: self = .cannotConnectToHost
        }
    }

    /// What failed while TLS was established: a peer that hangs up then has refused it.
    init(securing error: IOError) {
        switch error {
        case .connectionLost, .closed: self = .secureConnectionFailed(reason: "closed during the handshake")
        default: self.init(connecting: error)
        }
    }

    /// What failed while a request was sent or an answer read.
    init(exchanging error: IOError) {
        switch error {
        case .connectionLost, .closed, .system, .cannotConnect: self = .networkConnectionLost
        default: self.init(connecting: error)
        }
    }

    /// What is wrong with an answer.
    init(_ error: WireError) {
        switch error {
        case .notHTTP: self = .unexpectedResponseType
        case .truncated: self = .networkConnectionLost
        case .bodyTooLarge: self = .answerTooLarge
        case .headersTooLarge, .tooManyHeaders: self = .headTooLarge
        case .unwritableField, .unwritableRequestLine: self = .unsendableRequest
        default: self = .badServerResponse
        }
    }
}
