import EventIO
import HTTPWire

/// Why there is no response. The numbers are the codes of the domain `NSURLErrorDomain` (`docs/reference/proxy.md`).
public enum ClientError: Error, Equatable, Sendable {
    /// -1001: the time for the response or for the whole exchange has passed.
    case timedOut
    /// -1001 as well: the time for connecting, TLS included, has passed; nothing was sent. A wait for the pool is ``overloaded``.
    case connectTimedOut
    /// -1001 as well: the time for the whole exchange has passed while the body of a response was still coming. It may be one that
    /// never ends, such as a stream of events.
    case bodyTimedOut
    /// -1001 as well: the time has passed while a streamed body waited for its reader.
    case readerTooSlow
    /// The reader of a streamed body is gone: it has reset its connection, or closed it.
    case readerLeft
    /// -1003: the name does not resolve.
    case cannotFindHost
    /// -1004: refused or unreachable.
    case cannotConnectToHost
    /// -1005: closed or reset before the response was complete.
    case networkConnectionLost
    /// -1200: handshake, certificate or host name; with OpenSSL's reason.
    case secureConnectionFailed(reason: String)
    /// -1200 as well: TLS broke after the handshake; the request may have been carried out.
    case secureConnectionBroken(reason: String)
    /// -1011: HTTP, but malformed.
    case badServerResponse
    /// -1011 as well: the body is larger than the limit.
    ///
    /// - Parameter status: the response's, if its head had been read.
    case responseTooLarge(status: Int? = nil)
    /// The caller has no room for a response that is held to its end, or for one of this length.
    ///
    /// - Parameter status: the response's, if its head had been read; nil if nothing was sent.
    case noRoom(status: Int? = nil)
    /// -1011 as well: the head is larger than the limits.
    case headTooLarge
    /// 1400: the peer responded, but not with HTTP.
    case unexpectedResponseType
    /// The request cannot be written: a header or the target contains bytes that HTTP does not allow there. Nothing was sent.
    case unsendableRequest
    /// All connections that the origin may have, or that the caller's share allows, are in use, and too many requests wait for one or none
    /// became free in the time to connect; or too many names wait to be resolved. Nothing was sent.
    case overloaded
    /// The task was cancelled.
    case cancelled

    /// Converts a failure to connect.
    init(connecting error: IOError) {
        switch error {
        case .timedOut: self = .connectTimedOut
        case .cannotFindHost: self = .cannotFindHost
        case .tooManyLookUps: self = .overloaded
        case .cancelled: self = .cancelled
        case .secureConnectionFailed(let reason), .unusableTLSFile(_, let reason):
            self = .secureConnectionFailed(reason: reason)
        case .cannotConnect, .system, .connectionLost, .closed, .plaintext: self = .cannotConnectToHost
        }
    }

    /// Converts a failure of the TLS handshake: a peer that closes during it has refused it.
    init(securing error: IOError) {
        switch error {
        case .connectionLost, .closed: self = .secureConnectionFailed(reason: "closed during the handshake")
        default: self.init(connecting: error)
        }
    }

    /// Converts a failure to send a request or to read its response.
    init(exchanging error: IOError) {
        switch error {
        case .timedOut: self = .timedOut
        case .connectionLost, .closed, .system, .cannotConnect: self = .networkConnectionLost
        case .secureConnectionFailed(let reason): self = .secureConnectionBroken(reason: reason)
        default: self.init(connecting: error)
        }
    }

    /// Converts what is wrong with a response, or with the request to be written.
    init(_ error: WireError) {
        switch error {
        case .notHTTP: self = .unexpectedResponseType
        case .truncated: self = .networkConnectionLost
        case .bodyTooLarge: self = .responseTooLarge()
        case .headersTooLarge, .tooManyHeaders: self = .headTooLarge
        case .unwritableField, .unwritableRequestLine: self = .unsendableRequest
        default: self = .badServerResponse
        }
    }
}

extension ClientError: CustomStringConvertible {
    /// As logs have it.
    public var description: String {
        switch self {
        case .timedOut: "no whole response in time"
        case .connectTimedOut: "no connection in time"
        case .bodyTimedOut: "the response had begun, and went on for longer than an exchange may take"
        case .readerTooSlow: "the caller did not read the response in time"
        case .readerLeft: "the caller left before the response was complete"
        case .cannotFindHost: "the name does not resolve"
        case .cannotConnectToHost: "the connection was refused, or there is no way there"
        case .networkConnectionLost: "closed before the response was complete"
        case .secureConnectionFailed(let reason): "no TLS: \(reason)"
        case .secureConnectionBroken(let reason): "TLS broke: \(reason)"
        case .badServerResponse: "the response is malformed"
        case .responseTooLarge(let status): "the response\(status.map { " with status \($0)" } ?? "") is too large"
        case .noRoom(nil): "the caller's responses that are held to their end use up its room"
        case .noRoom(let status?): "the caller has no room for the response with status \(status)"
        case .headTooLarge: "the response's head is too large"
        case .unexpectedResponseType: "the response is not HTTP"
        case .unsendableRequest: "the request cannot be written"
        case .overloaded: "no connection was free"
        case .cancelled: "cancelled"
        }
    }
}
