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

    /// Whether the request would be late if its turn came now.
    ///
    /// A request always has the time of two transactions: it may have come just after one had begun. So a slow disk alone refuses
    /// nothing, and a request ends within the maximum or the time of two transactions, whichever is more.
    ///
    /// - Parameter commit: how long commits take at the moment.
    package func isLate(at now: ContinuousClock.Instant, commit: Duration) -> Bool {
        let transaction = batch + commit
        return now - since > max(maximum - transaction, transaction)
    }
}
