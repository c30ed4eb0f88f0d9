import CLibevent
import Glibc

/// Calls back once, after a delay, on its loop. Must be used and released on the loop's thread.
///
/// `@unchecked Sendable` is sound because every use is checked to be on the loop's thread.
public final class Timer: @unchecked Sendable {
    private let loop: EventLoop
    private let action: () -> Void
    private var event: OpaquePointer?

    /// A timer that is not scheduled yet. `action` runs on the loop's thread.
    public init(on loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    deinit { if let event { event_free(event) } }

    /// Schedules the timer, replacing an earlier schedule.
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

    /// Removes the schedule; the timer can be scheduled again.
    public func cancel() {
        precondition(loop.isCurrent, "a timer belongs to its loop's thread")
        if let event { event_del(event) }
    }
}

extension timeval {
    /// At least zero: a time in the past is due at once.
    init(milliseconds: Int64) {
        let milliseconds = max(0, milliseconds)
        self.init(tv_sec: Int(milliseconds / 1000), tv_usec: Int(milliseconds % 1000) * 1000)
    }
}
