/// How long a request may have waited when its turn at a store comes. One that has waited longer is refused before anything is done for
/// it: in a queue that is longer than its limit every request would wait, and none would be served in time.
public struct WaitLimit: Sendable {
    /// When the request arrived.
    public let since: ContinuousClock.Instant
    /// How long it may take from then until what it changes is durable.
    public let maximum: Duration

    /// A limit for a request that arrived at `since`.
    public init(since: ContinuousClock.Instant, maximum: Duration) {
        self.since = since
        self.maximum = maximum
    }

    /// How long the transaction may be that a request shares with others, its commit not included: all of them wait for its end.
    package var batch: Duration { min(Self.longestBatch, maximum / 4) }

    /// No batch goes on for longer once a request with a limit is in it.
    package static let longestBatch = Duration.milliseconds(100)

    /// Whether a request whose turn comes now would be late.
    ///
    /// A request may always wait for one transaction, since it may have come just after one had begun, and has its own: so a slow disk
    /// alone refuses nothing, nor does what delayed it before. Otherwise it ends within the maximum.
    ///
    /// - Parameters:
    ///   - posted: when it began to wait here.
    ///   - commit: how long commits take at the moment.
    package func isLate(at now: ContinuousClock.Instant, posted: ContinuousClock.Instant, commit: Duration) -> Bool {
        let transaction = batch + commit
        return now - posted > transaction && now - since > maximum - transaction
    }
}
