/// One task's wait for one value: it ends with the value, at a deadline, or when the task is cancelled, whichever is first.
///
/// `@unchecked Sendable` is sound because its state is touched on the loop's thread alone.
package final class PendingResult<Value: Sendable>: @unchecked Sendable {
    private enum State {
        /// No task waits yet.
        case new
        case waiting(UnsafeContinuation<Value, Never>, Timer)
        case finished(Value)
    }

    private let loop: EventLoop
    private var state = State.new

    package init(on loop: EventLoop) { self.loop = loop }

    /// Suspends until the first result: the argument of `finish(_:)`, `expired` once `deadline` has passed, or `cancelled`.
    /// May be called from any thread, once.
    package func value(until deadline: MonotonicTime, expired: Value, cancelled: Value) async -> Value {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if loop.isCurrent { return wait(until: deadline, expired: expired, continuation) }
                loop.execute { self.wait(until: deadline, expired: expired, continuation) }
            }
        } onCancel: {
            loop.execute { _ = self.finish(cancelled) }
        }
    }

    /// Ends the wait with `value`. Returns false, and does nothing, if it has ended already. Loop thread only.
    @discardableResult
    package func finish(_ value: Value) -> Bool {
        switch state {
        case .finished: return false
        case .new: state = .finished(value)
        case .waiting(let continuation, let timer):
            state = .finished(value)
            timer.cancel()
            continuation.resume(returning: value)
        }
        return true
    }

    private func wait(until deadline: MonotonicTime, expired: Value, _ continuation: UnsafeContinuation<Value, Never>) {
        if case .finished(let value) = state { return continuation.resume(returning: value) }
        // The cycle with the timer ends in `finish`, which the timer itself calls at the latest.
        let timer = Timer(on: loop) { self.finish(expired) }
        state = .waiting(continuation, timer)
        timer.schedule(after: .milliseconds(deadline.milliseconds - MonotonicTime.now.milliseconds))
    }
}

extension EventLoop {
    /// Suspends the calling task; the loop goes on. Ends early, without an error, when the task is cancelled.
    public func sleep(for duration: Duration) async {
        let isOnLoop = isCurrent
        if isOnLoop { waitingElsewhere += 1 }
        defer { if isOnLoop { waitingElsewhere -= 1 } }
        await PendingResult<Void>(on: self).value(until: .now + duration, expired: (), cancelled: ())
    }
}
