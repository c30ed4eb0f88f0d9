import EventIO

/// A request that waits for a connection: admitted or given up, whichever comes first.
///
/// `@unchecked Sendable` is sound because the loop's thread alone touches it.
final class QueuedRequest: @unchecked Sendable {
    private let loop: EventLoop
    private var continuation: UnsafeContinuation<Bool, Never>?
    private var timer: Timer?
    private var outcome: Bool?

    init(on loop: EventLoop) { self.loop = loop }

    /// Whether it was admitted before `deadline`, and before the task was cancelled.
    func wait(until deadline: MonotonicTime) async -> Bool {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in begin(until: deadline, continuation) }
        } onCancel: {
            loop.execute { _ = self.end(false) }
        }
    }

    /// Whether it was still waiting.
    func admit() -> Bool { end(true) }

    private func begin(until deadline: MonotonicTime, _ continuation: UnsafeContinuation<Bool, Never>) {
        if let outcome { return continuation.resume(returning: outcome) }
        self.continuation = continuation
        let timer = Timer(on: loop) { [weak self] in _ = self?.end(false) }
        self.timer = timer
        timer.schedule(after: .milliseconds(deadline.milliseconds - MonotonicTime.now.milliseconds))
    }

    /// The first outcome counts; the continuation is taken before it is resumed.
    private func end(_ outcome: Bool) -> Bool {
        guard self.outcome == nil else { return false }
        self.outcome = outcome
        timer?.cancel()
        timer = nil
        continuation.take()?.resume(returning: outcome)
        return true
    }
}
