/// What a store has done since it was opened.
public struct StoreMetrics: Sendable {
    /// Batches of requests that have ended well. What they wrote is synced; some wrote nothing.
    public var commits = 0
    /// Requests that shared them.
    public var requests = 0
    /// Requests in the largest of them.
    public var largestBatch = 0
    /// Batches that failed.
    public var failures = 0
    /// Requests that were refused because they had waited too long for their turn.
    public var late = 0
    /// Requests waiting for a writer now.
    public var waiting = 0
}
