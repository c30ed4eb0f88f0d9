import Vault

/// What the writer does for each batch: the batch itself, and then, while its callers go on, what keeps the vault small and quick.
struct WriterRun: Sendable {
    let connections: StoreConnections
    let figures: StoreFigures
    let checkpointer: Checkpointer

    /// Runs the jobs and wakes their callers.
    func run(_ jobs: [Job<SQLiteTransaction>]) {
        if let failure = connections.settle() { return BatchRun.refuse(jobs, failure, figures) }
        let doubt = connections.writer.use { transaction -> SQLiteFailure? in
            guard let transaction else {
                BatchRun.refuse(jobs, .closed, figures)
                return .closed
            }
            do throws(SQLiteFailure) {
                let batch = BatchRun(transaction: transaction, isWriting: true, figures: figures)
                if try batch.run(jobs) { checkpointer.noteErasure() }
                try mergeIndexes(transaction)
                try checkpointer.finishCheckpoint(on: transaction.connection)
                return nil
            } catch {
                return error
            }
        }
        if let doubt { connections.noteDoubt(doubt) }
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

    /// Runs the jobs and wakes their callers.
    func run(_ jobs: [Job<SQLiteTransaction>]) {
        connections.reader.use { transaction in
            guard let transaction else { return BatchRun.refuse(jobs, .closed, figures) }
            // Reading commits nothing, so that there is no doubt about it.
            _ = try? BatchRun(transaction: transaction, isWriting: false, figures: figures).run(jobs)
        }
    }
}
