import Glibc
import Vault

/// The carrying out of batches on one session: as drafts, in few exchanges with the server, or where that can't be done step by
/// step, each request with a savepoint of its own.
///
/// Other processes change the same tables. Where one came first, with the same value, alias or key, the request is run again and
/// finds what that one has done. Where one holds a row for longer than a moment, the requests of the batch are run one by one, and
/// the one that waits for it goes behind all others in the queue, so that no other waits with it.
struct PostgresBatch {
    private static let repetitions = 4
    private static let savepoints = 48

    let transaction: PostgresTransaction
    let isWriting: Bool
    let figures: StoreFigures
    /// Where the requests come from.
    let mailbox: Mailbox<Job<PostgresTransaction>>
    /// How long a request may wait to be carried out, from when it was sent.
    let timeout: Duration

    enum Outcome {
        /// With what kept some of the requests from being carried out.
        case done(PostgresFailure?)
        case failed(PostgresFailure)
        /// Nothing was done, and it may go well the next time.
        case again(PostgresFailure)
    }

    /// Runs the jobs, in one transaction if that can be, and wakes their callers after its end. A job that fails is taken back
    /// alone; if the transaction cannot be begun or committed, all of them fail with the reason. One that has waited longer than
    /// its limit is refused.
    func run(_ taken: [Job<PostgresTransaction>]) {
        let now = ContinuousClock.now
        let isLate = { (job: Job<PostgresTransaction>) in now - job.since > timeout }
        let (late, inTime) = (taken.filter(isLate), taken.filter { !isLate($0) })
        if !late.isEmpty { finish(late, .failed(.late)) }
        let commit = figures.commitTime
        let jobs = inTime.filter { job in
            guard let limit = job.limit,
                // What has not begun is not begun as the process ends: there may be no time to take it back.
                transaction.endsSoon || limit.isLate(at: now, posted: job.since, commit: commit)
            else { return true }
            figures.refuseLate(job)
            return false
        }
        guard !jobs.isEmpty else { return }
        // A batch is not ended early here: its time counts as that of its commit.
        defer { figures.note(commit: .now - now) }
        let left = transaction.mayDraft() ? PostgresDrafts(batch: self).carryOut(jobs) : jobs
        // Each savepoint that writes is a transaction of its own to the server, which keeps 64 of them at hand.
        for start in stride(from: 0, to: left.count, by: Self.savepoints) {
            runStepByStep(Array(left[start..<min(start + Self.savepoints, left.count)]), since: now)
        }
    }

    /// - Parameter began: when the batch was.
    private func runStepByStep(_ jobs: [Job<PostgresTransaction>], since began: ContinuousClock.Instant) {
        // One that was waited for in vain until its end is not waited for a second time, with a new connection.
        let mayConnect = { transaction.isConnected || ContinuousClock.now - began < transaction.longestWait / 2 }
        // They do not wait for a new connection where another thread has one.
        let carryOutSomehow = { () -> Outcome in
            if transaction.leavesRequests { return .again(.unreachable) }
            return mayConnect() ? carryOut(jobs) : .failed(.lost)
        }
        var outcome = carryOutSomehow()
        // The server may have been restarted since it was last asked: a new connection tells.
        if case .again(let failure) = outcome, failure.endsConnection, transaction.leavesRequests || mayConnect() {
            outcome = carryOutSomehow()
        }
        switch outcome {
        case .again(let failure) where !failure.endsConnection: for job in jobs { runAlone(job) }
        // What one of them cannot read is nothing to the others.
        case .failed where !isWriting && jobs.count > 1: for job in jobs { runAlone(job) }
        case .done, .failed, .again: conclude(jobs, outcome)
        }
    }

    /// One job by itself. If others are still in its way, it waits in the queue.
    private func runAlone(_ job: Job<PostgresTransaction>) {
        var outcome = carryOut([job])
        for turn in 1..<Self.repetitions {
            guard case .again(let failure) = outcome, failure.isConflict else { break }
            usleep(UInt32.random(in: 500...5_000) * UInt32(turn))
            outcome = carryOut([job])
        }
        if case .again(let failure) = outcome, failure.isWait || failure.isTransactionConflict,
            ContinuousClock.now - job.since < transaction.longestWait, mailbox.put(job) == .accepted
        {
            return
        }
        conclude([job], outcome)
    }

    /// Wakes the callers. If there was no connection for their jobs, and another thread has one, they are left to that one: for half of
    /// the time that each may wait, so that it does not go from one to the next for longer.
    private func conclude(_ jobs: [Job<PostgresTransaction>], _ outcome: Outcome) {
        guard case .again(let failure) = outcome, failure.isUnreachable, transaction.leavesRequests else {
            return finish(jobs, outcome)
        }
        let now = ContinuousClock.now
        let isYoung = { (job: Job<PostgresTransaction>) in now - job.since < timeout / 2 }
        let old = jobs.filter { !isYoung($0) }
        if !old.isEmpty { finish(old, outcome) }
        mailbox.putBack(jobs.filter(isYoung))
    }

    private func carryOut(_ jobs: [Job<PostgresTransaction>]) -> Outcome {
        let isBatch = jobs.count > 1
        do throws(PostgresFailure) {
            try transaction.begin(writing: isWriting, savepoints: isBatch)
            var keeps = isBatch
            var lastFailure: PostgresFailure?
            for job in jobs { if try carryOut(job, isBatch, &lastFailure) { keeps = true } }
            if keeps { try transaction.commit() } else { transaction.rollback() }
            return .done(lastFailure)
        } catch {
            transaction.rollback(after: error)
            if error.isUncertain { return .failed(error) }
            return error.isConflict || error.isWait || error.endsConnection ? .again(error) : .failed(error)
        }
    }

    /// Whether anything of it is to stay; what was not to has been taken back if others share the transaction. Throws what ends
    /// all of it.
    private func carryOut(
        _ job: Job<PostgresTransaction>, _ isBatch: Bool, _ lastFailure: inout PostgresFailure?
    ) throws(PostgresFailure) -> Bool {
        var last: PostgresFailure?
        for _ in 0..<Self.repetitions {
            try transaction.beginRequest()
            let isDone = job.run(transaction)
            guard let failure = transaction.failure else {
                if !isDone { try transaction.takeBackRequest() }
                return isDone
            }
            // A request that went on without the failed step is taken back too: it must not be reported as done.
            let endsAll = failure.endsConnection || failure.isTransactionConflict || failure.isWait || isDone
            guard isBatch, isWriting, !endsAll else { throw failure }
            try transaction.takeBackRequest()
            guard failure.isConflict else {
                lastFailure = failure
                return false
            }
            last = failure
        }
        throw last ?? .overtaken
    }

    func finish(_ jobs: [Job<PostgresTransaction>], _ outcome: Outcome) {
        var failure: VaultError?
        switch outcome {
        case .done(let lastFailure): figures.note(lastFailure?.vaultError, isLasting: lastFailure?.isLasting ?? false)
        case .failed(let reason), .again(let reason):
            failure = reason.vaultError
            // A conflict with other processes is no failure of the database.
            figures.note(reason.isConflict ? nil : failure, isLasting: reason.isLasting)
        }
        figures.count(jobs.count, failed: failure != nil)
        for job in jobs { job.finish(failure) }
    }
}
