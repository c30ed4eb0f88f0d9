public import EventHTTP

/// Why a remote vault has made no aliases. No case holds a value or an alias.
public enum RemoteVaultError: Error, Sendable {
    /// There is no response.
    ///
    /// - Parameter wasSent: whether the vault may have got the request.
    case exchange(ClientError, wasSent: Bool)
    /// Its status is not 2xx; the response is passed on to the caller.
    case refused(ClientResponse)
    /// 1400: it says that it succeeded, but not in JSON.
    case notJSON
    /// 1401: an item is missing or one too many, a value is not the one that was sent, or an alias is not there in the
    /// format that was asked for.
    case unexpectedFormat

    /// Whether the vault has stored the values, or may have. One that is unavailable (503) has not, nor has one that refuses.
    public var mayHaveStored: Bool {
        switch self {
        case .exchange(_, let wasSent): wasSent
        case .refused(let response): response.status >= 500 && !Self.retryableRefusals.contains(response.status)
        case .notJSON, .unexpectedFormat: true
        }
    }

    /// Statuses that say that nothing was done, and that it may be done later, or with another credential.
    public static let retryableRefusals: Set<Int> = [401, 403, 408, 425, 429, 503]
}
