import Glibc
import Vault

/// The carrying out of batches on one session.
///
/// Other processes change the same tables. Where one came first, with the same value, alias or key, the request is run again and
/// finds what that one has done; where transactions wait for each other, the server ends one, and its requests are run again,
/// each by itself.
struct PostgresBatch {
    private static let repetitionsOfRequest = 4
    private static let repetitionsAlone = 8

    let transaction: PostgresTransaction
    let isWriting: Bool
    let figures: StoreFigures

    private enum Outcome {
        case done
        case failed(PostgresFailure)
        /// Nothing was done, and it may go well the next time.
        case again(PostgresFailure)
    }

    /// Runs the jobs, in one transaction if that can be, and wakes their callers after its end. A job that fails is taken back
    /// alone; if the transaction cannot be begun or committed, all of them fail with the reason.
    func run(_ jobs: [Job<PostgresTransaction>]) {
        var outcome = carryOut(jobs)
        // The server may have been restarted since it was last asked: a new connection tells.
        if case .again(let failure) = outcome, failure.endsConnection { outcome = carryOut(jobs) }
        guard case .again(let failure) = outcome, !failure.endsConnection else { return finish(jobs, outcome) }
        for job in jobs { finish([job], alone(job)) }
    }

    /// One job by itself, again and again if others get in its way.
    private func alone(_ job: Job<PostgresTransaction>) -> Outcome {
        var outcome = carryOut([job])
        for turn in 1..<Self.repetitionsAlone {
            guard case .again(let failure) = outcome, !failure.endsConnection else { break }
            usleep(UInt32.random(in: 500...5_000) * UInt32(turn))
            outcome = carryOut([job])
        }
        return outcome
    }

    private func carryOut(_ jobs: [Job<PostgresTransaction>]) -> Outcome {
        let isShared = jobs.count > 1
        do throws(PostgresFailure) {
            try transaction.begin(writing: isWriting, shared: isShared)
            var keeps = isShared
            for job in jobs { if try carryOut(job, isShared) { keeps = true } }
            if keeps { try transaction.commit() } else { transaction.rollback() }
            return .done
        } catch {
            transaction.rollback(after: error)
            if error.isUncertain { return .failed(error) }
            return error.isConflict || error.endsConnection || isShared && error.isWait ? .again(error) : .failed(error)
        }
    }

    /// Whether anything of it is to stay; what was not to has been taken back if others share the transaction. Throws what ends
    /// all of it.
    private func carryOut(_ job: Job<PostgresTransaction>, _ isShared: Bool) throws(PostgresFailure) -> Bool {
        var last: PostgresFailure?
        for _ in 0..<Self.repetitionsOfRequest {
            try transaction.beginRequest()
            let isDone = job.run(transaction)
            guard let failure = transaction.failure else {
                if !isDone { try transaction.takeBackRequest() }
                return isDone
            }
            // Of one that did without what failed nothing stays either: it must not be told that it is done.
            let endsAll = failure.endsConnection || failure.isTransactionConflict || failure.isWait || isDone
            guard isShared, isWriting, !endsAll else { throw failure }
            try transaction.takeBackRequest()
            guard failure.isConflict else { return false }
            last = failure
        }
        throw last ?? .overtaken
    }

    private func finish(_ jobs: [Job<PostgresTransaction>], _ outcome: Outcome) {
        var failure: VaultError?
        switch outcome {
        case .done: break
        case .failed(let reason), .again(let reason): failure = reason.vaultError
        }
        figures.count(jobs.count, failed: failure != nil)
        // Others with the same values are no illness of the database.
        if case .again(let reason) = outcome, reason.isConflict { figures.note(nil) } else { figures.note(failure) }
        for job in jobs { job.finish(failure) }
    }
}
