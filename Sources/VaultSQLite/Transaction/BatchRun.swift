import Vault

/// The carrying out of batches on one connection.
struct BatchRun {
    typealias Jobs = [Job<SQLiteTransaction>]

    let transaction: SQLiteTransaction
    let isWriting: Bool
    let figures: StoreFigures

    /// What became of a batch.
    struct Outcome {
        /// Whether the transaction has erased rows.
        var hasErased = false
        /// Jobs that had no place in it, and are to be in the next one.
        var left: Jobs.SubSequence = []
        /// Whether there was no room for what was to be committed.
        var isFull = false
        /// Why it is not known what was committed.
        var doubt: SQLiteFailure?
    }

    /// Runs the jobs in one transaction and wakes their callers after its end. A job that fails is taken back alone; if
    /// the transaction cannot be begun or committed, all of them fail with the reason.
    ///
    /// A job that has waited longer than its limit is refused. Once one with a limit is in the transaction, this ends in time for it,
    /// and leaves the rest.
    func run(_ jobs: Jobs) -> Outcome {
        var (rest, done) = (jobs[...], Jobs())
        var (outcome, failure) = (Outcome(), SQLiteFailure?.none)
        do throws(SQLiteFailure) {
            try transaction.begin(writing: isWriting)
            try run(&rest, &done)
            let start = ContinuousClock.now
            try transaction.commit()
            if isWriting { figures.note(commit: .now - start) }
        } catch {
            transaction.rollback()
            failure = error
            // What was not begun is in the next batch, unless that would fail too.
            if !error.isUncertain {
                done += rest
                rest = []
            }
        }
        outcome.left = rest
        finish(done, failure)
        outcome.hasErased = failure == nil && transaction.hasErased
        outcome.isFull = failure?.isFull == true
        if let failure, failure.isUncertain { outcome.doubt = failure }
        return outcome
    }

    /// Runs jobs, as many as there is time for, and moves them from `rest` to `done`.
    private func run(_ rest: inout Jobs.SubSequence, _ done: inout Jobs) throws(SQLiteFailure) {
        let (commit, start) = (figures.commitTime, ContinuousClock.now)
        var (now, longest) = (start, WaitLimit.longestBatch)
        done.reserveCapacity(rest.count)
        while let job = rest.first {
            if let limit = job.limit {
                longest = min(longest, limit.batch)
                if !done.isEmpty, now - start >= longest { return }
                if limit.isLate(at: now, posted: job.since, commit: commit) {
                    figures.refuseLate(rest.removeFirst())
                    continue
                }
            }
            done.append(rest.removeFirst())
            transaction.beginRequest()
            let isDone = job.run(transaction)
            // Some failures (disk full, I/O) end the whole transaction, with what earlier jobs wrote.
            if let ended = transaction.failureThatEndedTransaction { throw ended }
            try transaction.endRequest(keeping: isDone)
            if job.limit != nil { now = .now }
        }
    }

    /// Tells all callers that nothing was done.
    static func refuse(_ jobs: Jobs, _ failure: SQLiteFailure, _ figures: StoreFigures) {
        let failure = failure.certain.vaultError
        figures.count(jobs.count, failed: true)
        figures.note(failure)
        for job in jobs { job.finish(failure) }
    }

    private func finish(_ jobs: Jobs, _ failure: SQLiteFailure?) {
        let failure = failure?.vaultError
        figures.count(jobs.count, failed: failure != nil)
        // A failed step need not fail the whole batch; that the store could not do it is its last outcome all the same.
        let outcome = failure ?? transaction.lastFailure?.vaultError
        // That rows were deleted shows no room: it may have been in pages that the log had already. Nor does it where nothing was written.
        if outcome != nil || !isWriting || transaction.hasInserted { figures.note(outcome) }
        for job in jobs { job.finish(failure) }
    }
}
