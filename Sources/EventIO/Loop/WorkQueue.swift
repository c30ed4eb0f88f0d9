/// Work that waits to run on a loop: jobs of Swift's runtime, and closures.
///
/// Two arrays instead of one of an enum: a job is a plain pointer, and copying it needs no retain.
/// Closures run before jobs, so the order is kept within each kind only.
struct WorkQueue {
    private(set) var jobs: [UnownedJob] = []
    private(set) var calls: [@Sendable () -> Void] = []

    var isEmpty: Bool { jobs.isEmpty && calls.isEmpty }

    mutating func append(_ job: UnownedJob) { jobs.append(job) }
    mutating func append(_ call: @escaping @Sendable () -> Void) { calls.append(call) }

    mutating func append(contentsOf other: WorkQueue) {
        if !other.jobs.isEmpty { jobs.append(contentsOf: other.jobs) }
        if !other.calls.isEmpty { calls.append(contentsOf: other.calls) }
    }

    /// Empties the queue and keeps its memory for the next round.
    mutating func removeAll() {
        jobs.removeAll(keepingCapacity: true)
        if !calls.isEmpty { calls.removeAll(keepingCapacity: true) }
    }
}
