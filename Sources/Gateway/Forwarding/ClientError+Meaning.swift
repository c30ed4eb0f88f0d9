import EventHTTP

extension ClientError {
    /// Whether it says anything about the upstream at all, and not about the request or about us.
    var speaksOfUpstream: Bool {
        switch self {
        case .unsendableRequest, .overloaded, .cancelled, .readerTooSlow: false
        default: true
        }
    }

    /// Whether the upstream was not reached, did not answer, or broke off. One that answers nonsense is there, and resting it
    /// would not help.
    var isTransportFailure: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .secureConnectionFailed: true
        case .badServerResponse, .answerTooLarge, .unexpectedResponseType, .unsendableRequest, .overloaded, .cancelled,
            .readerTooSlow:
            false
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
        case .badServerResponse, .answerTooLarge: self = .problem(.badServerResponse)
        case .unexpectedResponseType: self = .problem(.unexpectedResponseType)
        case .unsendableRequest: self = .fault(.malformed("a header of the request cannot be passed on"))
        case .overloaded: self = .fault(.upstreamBusy)
        case .cancelled: self = .fault(.unavailable)
        }
    }
}
