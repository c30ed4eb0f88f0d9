import Synchronization

/// What a store tells of itself, shared by its threads.
package final class StoreFigures: Sendable {
    private let counted = Mutex(StoreMetrics())
    private let known = Mutex<VaultError?>(nil)

    package init() {}

    /// The counters as they are now.
    package var metrics: StoreMetrics { counted.withLock { $0 } }

    /// Why the database could not do what it was last asked for; nil if it could.
    package var failure: VaultError? { known.withLock { $0 } }

    /// Notes what became of the last thing that tells whether the database is well.
    package func note(_ outcome: VaultError?) { known.withLock { $0 = outcome } }

    /// Counts a batch that has ended.
    package func count(_ requests: Int, failed: Bool) {
        counted.withLock { counted in
            if failed {
                counted.failures += 1
            } else {
                counted.commits += 1
                counted.requests += requests
                counted.largestBatch = max(counted.largestBatch, requests)
            }
        }
    }
}
