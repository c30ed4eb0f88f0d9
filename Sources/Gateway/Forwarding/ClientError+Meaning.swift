import EventHTTP

extension ClientError {
    /// Whether it says anything about the upstream at all, and not about the request or about us.
    var speaksOfUpstream: Bool {
        switch self {
        case .unsendableRequest, .overloaded, .cancelled, .readerTooSlow: false
        default: true
        }
    }

    /// Whether the upstream was not reached, did not answer, broke off, or answered what is no HTTP. One whose answer is larger than
    /// we take is well: it may be that of one path alone, which its caller has chosen.
    var isUpstreamFailure: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .secureConnectionFailed,
            .badServerResponse, .unexpectedResponseType:
            true
        case .responseTooLarge, .headTooLarge, .unsendableRequest, .overloaded, .cancelled, .readerTooSlow: false
        }
    }
}

extension Failure {
    /// Why there is no answer of an upstream.
    init(_ error: ClientError) {
        switch error {
        case .timedOut, .readerTooSlow: self = .problem(.timedOut)
        case .cannotFindHost: self = .problem(.cannotFindHost)
        case .cannotConnectToHost: self = .problem(.cannotConnectToHost)
        case .networkConnectionLost: self = .problem(.networkConnectionLost)
        case .secureConnectionFailed: self = .problem(.secureConnectionFailed)
        case .badServerResponse, .responseTooLarge, .headTooLarge: self = .problem(.badServerResponse)
        case .unexpectedResponseType: self = .problem(.unexpectedResponseType)
        case .unsendableRequest: self = .fault(.malformed("a header of the request cannot be passed on"))
        case .overloaded: self = .fault(.upstreamBusy)
        case .cancelled: self = .fault(.unavailable)
        }
    }
}
