import Vault

/// What the writer does for each batch: the batch itself, and then, while its callers go on, what keeps the vault small and quick.
struct WriterRun: Sendable {
    let connections: StoreConnections
    let figures: StoreFigures
    let checkpointer: Checkpointer

    /// Runs the jobs and wakes their callers. Returns those that are to be in the next batch.
    func run(_ jobs: BatchRun.Jobs) -> BatchRun.Jobs.SubSequence {
        if let failure = connections.settle() {
            BatchRun.refuse(jobs, failure, figures)
            return []
        }
        let outcome = connections.writer.use { transaction -> BatchRun.Outcome in
            guard let transaction else {
                BatchRun.refuse(jobs, .closed, figures)
                return BatchRun.Outcome(doubt: .closed)
            }
            var outcome = BatchRun(transaction: transaction, isWriting: true, figures: figures).run(jobs)
            if outcome.hasErased { checkpointer.noteErasure() }
            if outcome.isFull { checkpointer.noteFullDisk() }
            guard outcome.doubt == nil else { return outcome }
            do throws(SQLiteFailure) {
                try mergeIndexes(transaction)
                try checkpointer.finishCheckpoint(on: transaction.connection)
            } catch { outcome.doubt = error }
            return outcome
        }
        if let doubt = outcome.doubt { connections.noteDoubt(doubt) }
        return outcome.left
    }

    /// What cannot be merged, on a full disk say, stays young. Throws if the log may not be what it should be.
    private func mergeIndexes(_ transaction: SQLiteTransaction) throws(SQLiteFailure) {
        do throws(SQLiteFailure) {
            while try transaction.mergeSlice() {}
        } catch {
            if error.isInputOutput || error.isUncertain { throw error }
        }
    }
}

/// What the reader does for each batch.
struct ReaderRun: Sendable {
    let connections: StoreConnections
    let figures: StoreFigures

    /// Runs the jobs and wakes their callers. Returns those that are to be in the next batch.
    func run(_ jobs: BatchRun.Jobs) -> BatchRun.Jobs.SubSequence {
        connections.reader.use { transaction in
            guard let transaction else {
                BatchRun.refuse(jobs, .closed, figures)
                return []
            }
            // Reading commits nothing, so that there is no doubt about it.
            return BatchRun(transaction: transaction, isWriting: false, figures: figures).run(jobs).left
        }
    }
}
