public import EventHTTP

/// Why a remote vault has made no aliases. No case holds a value or an alias.
public enum RemoteVaultError: Error, Sendable {
    /// There is no answer.
    case exchange(ClientError)
    /// It answered with something else than success; its response is passed on to the caller.
    case refused(ClientResponse)
    /// 1400: it says that it succeeded, but not in JSON.
    case notJSON
    /// 1401: an item is missing or one too many, a value is not the one that was sent, or an alias is not there in the
    /// format that was asked for.
    case unexpectedFormat
}
