import EventHTTP

extension CallError {
    /// Why an exchange has no complete response.
    init(_ error: ClientError) {
        switch error {
        case .timedOut, .bodyTimedOut, .readerTooSlow, .readerLeft: self = .timedOut
        case .connectTimedOut: self = .connectTimedOut
        case .cannotFindHost: self = .cannotFindHost
        case .cannotConnectToHost: self = .cannotConnectToHost
        case .networkConnectionLost: self = .networkConnectionLost
        case .secureConnectionFailed: self = .secureConnectionFailed
        case .secureConnectionBroken: self = .secureConnectionBroken
        case .badServerResponse, .responseTooLarge, .headTooLarge, .noRoom(_?): self = .badServerResponse
        case .unexpectedResponseType: self = .unexpectedResponseType
        case .unsendableRequest: self = .malformed("a header of the request cannot be passed on")
        case .noRoom(nil): self = .responsesBusy
        case .overloaded: self = .upstreamBusy
        case .cancelled: self = .unavailable
        }
    }
}

extension ClientError {
    /// Whether the error says anything about the upstream, and not only about the request or the gateway.
    var isAboutUpstream: Bool {
        switch self {
        case .unsendableRequest, .overloaded, .noRoom, .cancelled, .readerTooSlow, .readerLeft: false
        default: true
        }
    }

    /// Whether the circuit breaker counts it: the upstream was not reached, broke off, or did not speak HTTP. A response that is too
    /// large, or too long, does not count, because it may be that of one path which its caller has chosen.
    var isUpstreamFailure: Bool {
        switch self {
        case .timedOut, .connectTimedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
            .secureConnectionFailed, .secureConnectionBroken, .badServerResponse, .unexpectedResponseType:
            true
        case .bodyTimedOut, .responseTooLarge, .headTooLarge, .unsendableRequest, .overloaded, .noRoom,
            .cancelled, .readerTooSlow, .readerLeft:
            false
        }
    }

    /// The code of ``Problem`` for an error that ends a streamed body; 499, which no problem has, if its reader left, and nil if the
    /// error is not about the exchange.
    var problemCode: Int? {
        switch self {
        case .readerLeft: 499
        case .unsendableRequest, .overloaded, .noRoom(nil): nil
        default: Problem(CallError(self)).code
        }
    }
}
