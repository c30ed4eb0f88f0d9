import CLibevent
import Glibc

/// Calls back once, after a while, on its loop. Belongs to the loop's thread, its end included.
///
/// `@unchecked Sendable` is sound because every use is checked to be on the loop's thread.
public final class Timer: @unchecked Sendable {
    private let loop: EventLoop
    private let action: () -> Void
    private var event: OpaquePointer?

    /// A timer that is not set yet. `action` runs on the loop's thread.
    public init(on loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    deinit { if let event { event_free(event) } }

    /// Sets the timer, or sets it anew.
    public func schedule(after delay: Duration) {
        precondition(loop.isCurrent, "a timer belongs to its loop's thread")
        if event == nil {
            // Unretained: `deinit` removes the event, so libevent never calls back for a timer that is gone.
            event = event_new(
                loop.base, -1, 0,
                { _, _, owner in owner.map { Unmanaged<Timer>.fromOpaque($0).takeUnretainedValue().action() } },
                Unmanaged.passUnretained(self).toOpaque())
        }
        var interval = timeval(milliseconds: delay.wholeMilliseconds)
        event_add(event, &interval)
    }

    /// Takes the timer back.
    public func cancel() {
        precondition(loop.isCurrent, "a timer belongs to its loop's thread")
        if let event { event_del(event) }
    }
}

extension timeval {
    /// At least zero: a moment that has passed is due at once.
    init(milliseconds: Int64) {
        let milliseconds = max(0, milliseconds)
        self.init(tv_sec: Int(milliseconds / 1000), tv_usec: Int(milliseconds % 1000) * 1000)
    }
}

extension EventLoop {
    /// Suspends the calling task; the loop goes on. Ends early, without an error, when the task is cancelled.
    public func sleep(for duration: Duration) async {
        let sleeper = Sleeper()
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                execute { sleeper.begin(duration, on: self, continuation) }
            }
        } onCancel: {
            execute { sleeper.end() }
        }
    }
}

/// One sleeping task. `@unchecked Sendable` is sound: both methods run on the loop's thread alone.
private final class Sleeper: @unchecked Sendable {
    private var continuation: UnsafeContinuation<Void, Never>?
    private var timer: Timer?
    private var isOver = false

    func begin(_ duration: Duration, on loop: EventLoop, _ continuation: UnsafeContinuation<Void, Never>) {
        guard !isOver else { return continuation.resume() }
        self.continuation = continuation
        let timer = Timer(on: loop) { self.end() }
        self.timer = timer
        timer.schedule(after: duration)
    }

    /// The continuation is taken before it is resumed: once, whoever comes first.
    func end() {
        isOver = true
        timer?.cancel()
        timer = nil
        continuation.take()?.resume()
    }
}
