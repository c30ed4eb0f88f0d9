/// One task that waits for a name: ended by the answer, the deadline or cancellation, whichever comes first.
///
/// `@unchecked Sendable` is sound: its state is touched on the loop's thread alone.
final class ResolverQuery: @unchecked Sendable {
    private let loop: EventLoop
    private var continuation: UnsafeContinuation<Resolver.Answer, Never>?
    private var early: Resolver.Answer?
    private var timer: Timer?

    init(on loop: EventLoop) { self.loop = loop }

    func run(
        until deadline: MonotonicTime, _ begin: @Sendable (@escaping @Sendable (Resolver.Answer) -> Void) -> Void
    ) async -> Resolver.Answer {
        await withTaskCancellationHandler {
            begin { answer in self.loop.execute { self.finish(answer) } }
            return await withUnsafeContinuation { continuation in
                loop.execute { self.wait(until: deadline, continuation) }
            }
        } onCancel: {
            loop.execute { self.finish(.failure(.cancelled)) }
        }
    }

    private func wait(until deadline: MonotonicTime, _ continuation: UnsafeContinuation<Resolver.Answer, Never>) {
        if let early { return continuation.resume(returning: early) }
        self.continuation = continuation
        let timer = Timer(on: loop) { self.finish(.failure(.timedOut)) }
        self.timer = timer
        timer.schedule(after: .milliseconds(deadline.milliseconds - MonotonicTime.now.milliseconds))
    }

    /// The first answer counts; the continuation is taken before it is resumed.
    private func finish(_ answer: Resolver.Answer) {
        guard early == nil else { return }
        early = answer
        timer?.cancel()
        timer = nil
        continuation.take()?.resume(returning: answer)
    }
}
