import Synchronization

/// What a store tells of itself, shared by its threads.
package final class StoreFigures: Sendable {
    private let counted = Mutex(StoreMetrics())
    private let known = Mutex<(failure: VaultError?, isLasting: Bool)>((nil, false))
    private let commit = Mutex(Duration.zero)

    package init() {}

    /// The counters as they are now.
    package var metrics: StoreMetrics { counted.withLock { $0 } }

    /// Why the database could not do what it was last asked for; nil if it could. A lasting failure stays until all goes well again.
    package var failure: VaultError? { known.withLock { $0.failure } }

    /// Notes what became of the last thing that tells whether the database is well.
    ///
    /// - Parameter isLasting: whether it failed in a way that meets some requests and not others: that these go well proves nothing.
    package func note(_ outcome: VaultError?, isLasting: Bool = false) {
        known.withLock { known in
            if outcome == nil, known.isLasting { return }
            known = (outcome, isLasting || known.isLasting)
        }
    }

    /// Notes that all that requests do was tried, and went well.
    package func noteRecovery() { known.withLock { $0 = (nil, false) } }

    /// How long commits take at the moment, which a request still has to wait for when its turn comes: of a batch that is carried out by a
    /// server in few exchanges, the batch with its commit. Rises at once, and falls by an eighth of the difference with each.
    package var commitTime: Duration { commit.withLock { $0 } }

    /// Notes how long a commit took, or a batch with its commit.
    package func note(commit time: Duration) {
        commit.withLock { $0 = max(time, $0 - ($0 - time) / 8) }
    }

    /// Tells the caller of a job that it has waited too long. Nothing was done for it.
    package func refuseLate<Session>(_ job: Job<Session>) {
        counted.withLock { $0.late += 1 }
        job.finish(.overloaded)
    }

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
