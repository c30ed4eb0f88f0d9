import Synchronization

/// What a store tells of itself, shared by its threads.
package final class StoreFigures: Sendable {
    private let counted = Mutex(StoreMetrics())
    private let known = Mutex<VaultError?>(nil)
    private let commit = Mutex(Duration.zero)

    package init() {}

    /// The counters as they are now.
    package var metrics: StoreMetrics { counted.withLock { $0 } }

    /// Why the database could not do what it was last asked for; nil if it could.
    package var failure: VaultError? { known.withLock { $0 } }

    /// Notes what became of the last thing that tells whether the database is well.
    package func note(_ outcome: VaultError?) { known.withLock { $0 = outcome } }

    /// How long commits take at the moment: rises at once, and falls by an eighth of the difference with each commit.
    package var commitTime: Duration { commit.withLock { $0 } }

    /// Notes how long a commit took.
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
