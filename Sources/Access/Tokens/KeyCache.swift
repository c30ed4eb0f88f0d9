/// Decides when an issuer's keys are fetched. A plain value: the fetch itself, and who waits for it, are the caller's.
///
/// Keys are fetched at the start, again when a token names a key that is not known, and by ``maximumAge`` so that
/// a key that was withdrawn stops being taken: shortly before beside a token, and after it, because none came meanwhile, before the token
/// is judged. For keys that are not known they are fetched once a ``minimumInterval`` at most, and after a failure not before it has
/// passed: a stranger who invents key ids cannot make the gateway call the provider more often. The first fetch, and those for the keys'
/// age, do not count unless they lack the token's key, so that a provider may roll its keys right after a start. A fetch that fails leaves
/// the old keys in use, for ``staleAge`` at most.
public struct KeyCache: Sendable {
    /// Milliseconds between two fetches that found nothing new.
    public static let minimumInterval: Int64 = 60_000
    /// Milliseconds after which keys are fetched again beside the tokens that they still judge.
    public static let refreshAge: Int64 = 3_000_000
    /// Milliseconds after which keys judge no token while the provider has not failed to return them.
    public static let maximumAge: Int64 = 3_600_000
    /// Milliseconds after which keys that could not be fetched again are no longer taken.
    public static let staleAge: Int64 = 86_400_000
    /// Milliseconds for which a fetch that failed says that the provider cannot be reached.
    private static let failureLasts: Int64 = 300_000

    /// What to do with a token.
    public enum Decision: Sendable {
        /// Verify with these keys. If `refresh` is set, start a fetch beside it.
        case use(JSONWebKeySet, refresh: Bool)
        /// Start a fetch, report it with ``finished(_:at:)``, and ask again. `isKnown`: whether the last keys have the token's.
        case fetch(isKnown: Bool)
        /// A fetch is under way: ask again when it has finished.
        case wait(isKnown: Bool)
        /// The key is not known, and one that was not was looked for less than a minute ago.
        case unknownKey
        /// There are no keys, or the key is not known, because the provider cannot be reached: nothing is known of the token. Ask again
        /// after this many seconds.
        case unavailable(retryAfter: Int)
    }

    private var keys: JSONWebKeySet?
    private var fetchedAt: Int64 = .min
    /// When the last fetch began.
    private var triedAt: Int64?
    /// The key that the last fetch was made for; nil for any.
    private var soughtKeyID: String?
    /// When the last fetch began that was made for a key that is not known, or found none of that id.
    private var soughtAt: Int64?
    private var isFetching = false
    private var hasFailed = false

    /// - Parameter keys: those that are known already.
    public init(keys: JSONWebKeySet? = nil, at now: Int64 = 0) {
        self.keys = keys
        fetchedAt = now
    }

    /// Decides for a token that names `keyID`, or none.
    ///
    /// - Parameter now: monotonic milliseconds. A decision of `fetch` or `refresh` counts as the start of a fetch.
    public mutating func decide(keyID: String?, at now: Int64) -> Decision {
        guard let keys, now - fetchedAt < Self.staleAge else {
            if isFetching { return .wait(isKnown: false) }
            guard hasPassed(since: triedAt, at: now) else { return unavailable(at: now) }
            return start(.fetch(isKnown: false), for: keyID, at: now)
        }
        if !keys.has(keyID: keyID) {
            if isFetching { return .wait(isKnown: false) }
            guard hasPassed(since: hasFailed ? triedAt : soughtAt, at: now) else {
                return hasFailed ? unavailable(at: now) : .unknownKey
            }
            soughtAt = now
            return start(.fetch(isKnown: false), for: keyID, at: now)
        }
        let age = now - fetchedAt
        if isFetching { return age < Self.maximumAge || hasFailed ? .use(keys, refresh: false) : .wait(isKnown: true) }
        guard age >= Self.refreshAge, hasPassed(since: triedAt, at: now) else { return .use(keys, refresh: false) }
        return start(
            age < Self.maximumAge || isDown(at: now) ? .use(keys, refresh: true) : .fetch(isKnown: true), for: keyID,
            at: now)
    }

    /// Takes the outcome of a fetch: the keys, also if there are none, or nil if it failed.
    public mutating func finished(_ keys: JSONWebKeySet?, at now: Int64) {
        isFetching = false
        hasFailed = keys == nil
        guard let keys else { return }
        if !keys.has(keyID: soughtKeyID) { soughtAt = triedAt }
        self.keys = keys
        fetchedAt = now
    }

    private func hasPassed(since time: Int64?, at now: Int64) -> Bool {
        time.map { now - $0 >= Self.minimumInterval } ?? true
    }

    private func unavailable(at now: Int64) -> Decision {
        let wait = (triedAt ?? now) + Self.minimumInterval - now
        return .unavailable(retryAfter: max(1, Int((wait + 999) / 1_000)))
    }

    private func isDown(at now: Int64) -> Bool {
        hasFailed && triedAt.map { now - $0 < Self.failureLasts } == true
    }

    private mutating func start(_ decision: Decision, for keyID: String?, at now: Int64) -> Decision {
        soughtKeyID = keyID
        isFetching = true
        hasFailed = isDown(at: now)
        triedAt = now
        return decision
    }
}
