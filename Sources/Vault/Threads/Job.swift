/// One request on its way through a store's thread.
package struct Job<Session>: Sendable {
    /// Carries the request out; `false` if it failed, and nothing of it is to stay. May be called again.
    package let run: @Sendable (Session) -> Bool
    /// When it was posted.
    package let since = ContinuousClock.now
    /// How long it may wait. Without one it belongs to a request that has begun, or to the store itself: it goes before those with a
    /// limit and is never refused, since what was done before it would be lost.
    package let limit: WaitLimit?
    /// Wakes the caller: with this failure, or, if there is none, with what `run` came to.
    package let finish: @Sendable (VaultError?) -> Void

    /// A job that is posted now.
    package init(
        within limit: WaitLimit? = nil, run: @escaping @Sendable (Session) -> Bool,
        finish: @escaping @Sendable (VaultError?) -> Void
    ) {
        self.limit = limit
        self.run = run
        self.finish = finish
    }
}

/// Hands `work` to a store's thread and waits, without holding a thread, for what it comes to.
package func submit<Session, Result: Sendable>(
    to mailbox: Mailbox<Job<Session>>, within limit: WaitLimit? = nil,
    _ work: @escaping @Sendable (Session) throws(VaultError) -> Result
) async throws(VaultError) -> Result {
    let result: Swift.Result<Result, VaultError> = await withUnsafeContinuation { continuation in
        // Every path resumes exactly once: the thread finishes each job that it takes, and a job that cannot be put is
        // finished here.
        let outcome = JobOutcome<Result>()
        let job = Job<Session>(
            within: limit,
            run: { session in outcome.set { () throws(VaultError) in try work(session) } },
            finish: { failure in continuation.resume(returning: outcome.result(failure)) })
        switch mailbox.put(job, first: limit == nil) {
        case .accepted: break
        case .full: continuation.resume(returning: .failure(.overloaded))
        case .closed:
            continuation.resume(returning: .failure(.unavailable("the store is closed")))
        }
    }
    return try result.get()
}

/// Where a job keeps what it came to until its caller is woken.
///
/// `@unchecked Sendable`: made by the caller, then touched by the store's thread alone.
private final class JobOutcome<Value: Sendable>: @unchecked Sendable {
    private var value: Result<Value, VaultError>?

    func set(_ work: () throws(VaultError) -> Value) -> Bool {
        do {
            value = .success(try work())
            return true
        } catch {
            value = .failure(error)
            return false
        }
    }

    func result(_ failure: VaultError?) -> Result<Value, VaultError> {
        if let failure { return .failure(failure) }
        return value ?? .failure(.unavailable("the store stopped"))
    }
}
