extension Stream {
    /// Runs `body`; if the task is cancelled meanwhile, the wait under way ends with `IOError.cancelled`. Once around a whole
    /// exchange instead of once around every read, for registering a handler is not free. Afterwards a stream that was not
    /// cancelled may be used by another task.
    public func cancellingWithTask<R, Failure: Error>(
        _ body: () async throws(Failure) -> R
    ) async throws(Failure) -> R {
        let turn = beginTurn()
        defer { endTurn() }
        let outcome = await withTaskCancellationHandler { () async -> Result<R, Failure> in
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        } onCancel: {
            cancel(turn: turn)
        }
        return try outcome.get()
    }
}
