import Vault

/// What the writer does for each batch: the batch itself, and then, while its callers go on, what keeps the vault small and quick.
struct WriterRun {
    let transaction: SQLiteTransaction
    let figures: StoreFigures
    let checkpointer: Checkpointer

    /// Runs the jobs and wakes their callers.
    func run(_ jobs: [Job<SQLiteTransaction>]) {
        let batch = BatchRun(transaction: transaction, isWriting: true, figures: figures)
        if let doubt = settle() { return batch.refuse(jobs, doubt) }
        do throws(SQLiteFailure) {
            if try batch.run(jobs) { checkpointer.noteErasure() }
        } catch {
            transaction.doubt = error
            return
        }
        mergeIndexes()
        checkpointer.finishCheckpoint(on: transaction.connection)
    }

    /// After a commit that failed, in a sync for example, the log may end with a transaction that a restart would find, and what the
    /// system said to be synced before may not be. So everything is moved into the database, synced, and the log is cut to nothing
    /// before anything else is written: from then on what was not committed is not there. Returns why that cannot be done yet.
    private func settle() -> SQLiteFailure? {
        guard let doubt = transaction.doubt else { return nil }
        do throws(SQLiteFailure) {
            guard try transaction.connection.checkpoint(.truncate) == 0 else { return doubt }
            transaction.doubt = nil
            return nil
        } catch {
            return error
        }
    }

    private func mergeIndexes() {
        do throws(SQLiteFailure) {
            while try transaction.mergeSlice() {}
        } catch {
            // What was not merged stays young, and nothing is lost. But a log that could not be written must be begun again.
            if error.isInputOutput { transaction.doubt = error }
        }
    }
}
