import Access
import EventHTTP
import FormSchema

/// Why a call does not succeed. There is one error type for all calls: ``Problem`` renders it for the client plane
/// (`docs/reference/proxy.md` section 6), ``VaultErrors`` for the vault plane (`docs/reference/vault-api.md` section 3).
///
/// Texts in it name fields, rules and settings; they never hold a submitted value.
enum CallError: Error {
    // MARK: The request

    /// Not JSON, or not of the shape that the call asks for; the text says what is wrong.
    case malformed(String)
    /// No credential, or an unknown one.
    case unauthorized
    /// A session or token that does not allow this, with what is wrong about it.
    case refusedToken(AccessRefusal)
    /// The credential may not do this.
    case forbidden(String)
    case notFound(String)
    /// - Parameter allowed: value of the `Allow` header.
    case methodNotAllowed(allowed: String)
    /// - Parameters:
    ///   - limit: bytes that a body may have.
    ///   - setting: the configuration key of the limit; nil if it is fixed.
    case bodyTooLarge(limit: Int, setting: String?)
    case unsupportedMediaType
    /// - Parameter retryAfter: seconds.
    case tooManyRequests(retryAfter: Int)
    /// Too many secrets from the client's address were wrong. - Parameter retryAfter: seconds.
    case tooManyWrongSecrets(retryAfter: Int)
    /// An error that has no case of its own: a status of HTTP with its reason.
    case http(status: Int, reason: String)

    // MARK: The submission

    /// `fields` has names that the form does not have.
    case unknownFields([String])
    /// The submission was made by a description that is not the form's any more.
    case formChanged
    /// The form refuses the submission: codes 1001 and 1101–1103.
    indirect case invalidSubmission(InvalidSubmission)
    /// A form that came with a submission has mistakes (`cloakroom evaluate` only).
    case invalidForm([(path: String, message: String)])

    // MARK: The vault

    /// The vault is busy, or cannot write.
    case unavailable
    /// A commit failed in a way that leaves open what is stored.
    case outcomeUnknown
    /// A record is not what this vault wrote; the alias that was asked for, if there was one.
    case damaged(alias: String?)
    /// The limit on volatile aliases is reached.
    case volatileStorageFull
    /// The caller's share of the volatile storage is used up. - Parameter retryAfter: seconds.
    case volatileShareUsed(retryAfter: Int)
    /// The caller's share of the aliases that a narrow format can give is used up. - Parameter retryAfter: seconds.
    case aliasShareUsed(String, retryAfter: Int)
    case aliasSpaceExhausted(format: String)
    /// The vault plane's 404, one entry for each alias.
    case aliasesNotFound([String])

    // MARK: The gateway itself

    /// The caller has tried too many values for one pattern of kept characters. - Parameter retryAfter: seconds.
    case tooManyGuesses(retryAfter: Int)
    /// The keys of an identity provider cannot be fetched. - Parameter retryAfter: seconds.
    case identityProviderUnavailable(retryAfter: Int)
    /// The audit log cannot be written. An action that cannot be recorded is not carried out.
    case auditUnavailable
    /// Too many credentials wait to be checked against a salted hash.
    case credentialsBusy(retryAfter: Int)
    /// Too many large bodies wait to be read.
    case bodiesBusy
    case internalError

    // MARK: The upstream or the remote vault

    /// The route's circuit breaker is open. - Parameter retryAfter: seconds.
    case circuitOpen(retryAfter: Int)
    /// The route's upstream can't be given another connection now: none is free, or the caller has its share.
    case upstreamBusy
    /// The caller's responses that are held as a whole use up its room: nothing was sent.
    case responsesBusy
    /// The route id is not a UUID, or does not fit into the tenant's host name.
    case invalidRouteID
    case timedOut
    /// Before there was a connection: nothing was sent.
    case connectTimedOut
    case cannotFindHost
    case cannotConnectToHost
    case networkConnectionLost
    case secureConnectionFailed
    /// After the handshake: the upstream may have carried out the request.
    case secureConnectionBroken
    case badServerResponse
    case unexpectedResponseType
    case unexpectedResponseDataFormat
    /// A remote vault returned 2xx with a body that is not JSON.
    case vaultResponseNotJSON
    /// A remote vault returned an error while a send was prepared.
    case vaultRefused(status: Int)
    /// A remote vault's own error response, passed through.
    case vaultResponse(ClientResponse)
    /// An error of an exchange with a remote vault.
    ///
    /// - Parameter mayHaveStored: whether it has stored the values, or may have.
    indirect case remoteVault(CallError, mayHaveStored: Bool)
    /// An error of an exchange with a route's upstream, with what the access log says of it.
    ///
    /// - Parameters:
    ///   - microseconds: how long the exchange took; nil if it was not measured.
    ///   - wasSent: whether the upstream may have got the request. Exact for requests with an idempotency key.
    indirect case upstream(CallError, route: String, microseconds: Int64?, wasSent: Bool)

    // MARK: Reveal routes

    /// A text has the shape of an alias, and no such alias exists or it has expired.
    case unknownAliases([String])
    /// The media type of the body can't be searched for aliases.
    case unreadableMediaType
    /// What the request's aliases stand for, as often as it names them, has no room in the request that is sent, or in the response.
    case revealTooLarge(limit: Int)
    /// No alias stands at a place where the route's `reveal.require` says that one must.
    case aliasRequired(pointer: String)
    /// The upstream has carried out the request, but its response can't be passed on.
    case responseWithheld(upstreamStatus: Int, reason: WithheldReason)

    // MARK: The guard

    /// Card numbers stand where none is meant to be. - Parameter places: pointers and offsets, without the numbers.
    case cardNumberRefused(places: [String])
    /// Card numbers can't be found in the body, and the route's guard would not pass them on.
    case unguardedBody

    // MARK: Idempotency keys

    /// The storage for responses is full, or the caller's share of it is. - Parameter retryAfter: seconds.
    case idempotencyStorageFull(retryAfter: Int)
    /// The key belongs to another request.
    case idempotencyKeyReused
    /// The first request under the key is still running. Repeat later.
    case requestInProgress
    /// The first request under the key was carried out, or may have been, and its response is not stored.
    case responseNotStored
}

extension CallError {
    /// A header whose value is not UTF-8 can't be passed on unchanged.
    static func unreadableHeader(_ name: String) -> CallError { .malformed("the header \(name) is not UTF-8") }
}

/// Why a response of an upstream can't be passed on.
enum WithheldReason: String, Error {
    case contentCoding = "it has a content coding that was not asked for"
    case charset = "it is text in a charset in which card numbers can't be found"
    case partial = "it is a part of something larger, and a value may go over its ends"
    case notText = "it is not text in which values could be found"
    case notJSON = "the route's redact rules need JSON"
    case tooLarge = "it is larger than the gateway can read as a whole"
    case noRoom = "it is larger than what its caller's other responses leave of the gateway's memory"
    case tooManyValues = "it has more values to redact than the gateway takes"
    case aliasesNotStored = "aliases could not be stored for what is redacted in it"
    case cardNumber = "it has a card number, which the route refuses"
}

/// A submission that its form refuses, with the states of all its fields.
struct InvalidSubmission: Sendable {
    let reason: Evaluation.Refusal
    /// All names of the form, in its order.
    let fieldNames: [String]
    /// The states of all fields, as one JSON object.
    let states: [UInt8]
}
