import Vault

/// The carrying out of batches on one connection.
struct BatchRun {
    let transaction: SQLiteTransaction
    let isWriting: Bool
    let figures: StoreFigures

    /// Runs the jobs in one transaction and wakes their callers after its end. A job that fails is taken back alone; if
    /// the transaction cannot be begun or committed, all of them fail with the reason.
    ///
    /// Returns whether the transaction has erased rows. Throws, after the callers were told, if the outcome of the commit is unknown.
    func run(_ jobs: [Job<SQLiteTransaction>]) throws(SQLiteFailure) -> Bool {
        var failure: SQLiteFailure?
        do throws(SQLiteFailure) {
            try transaction.begin(writing: isWriting)
            for job in jobs {
                transaction.beginRequest()
                let isDone = job.run(transaction)
                // Some failures (disk full, I/O) end the whole transaction, with what earlier jobs wrote.
                if let ended = transaction.failureThatEndedTransaction { throw ended }
                try transaction.endRequest(keeping: isDone)
            }
            try transaction.commit()
        } catch {
            transaction.rollback()
            failure = error
        }
        finish(jobs, failure)
        if let failure, failure.isUncertain { throw failure }
        return failure == nil && transaction.hasErased
    }

    /// Tells all callers that nothing was done.
    static func refuse(_ jobs: [Job<SQLiteTransaction>], _ failure: SQLiteFailure, _ figures: StoreFigures) {
        let failure = failure.certain.vaultError
        figures.count(jobs.count, failed: true)
        figures.note(failure)
        for job in jobs { job.finish(failure) }
    }

    private func finish(_ jobs: [Job<SQLiteTransaction>], _ failure: SQLiteFailure?) {
        let failure = failure?.vaultError
        figures.count(jobs.count, failed: failure != nil)
        // A failed step need not fail the whole batch; that the store could not do it is its last outcome all the same.
        let outcome = failure ?? transaction.lastFailure?.vaultError
        // On a full disk rows can still be deleted, and nothing at all can always be written.
        if outcome != nil || !isWriting || transaction.hasInserted { figures.note(outcome) }
        for job in jobs { job.finish(failure) }
    }
}
