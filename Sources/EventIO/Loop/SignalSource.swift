import CLibevent
import Glibc

/// Turns a Unix signal into a call on a loop, outside of the signal handler. Only one loop of a process may have signal
/// sources (a limit of libevent). Must be used on the loop's thread.
///
/// `@unchecked Sendable` is sound because every use is checked to be on the loop's thread.
public final class SignalSource: @unchecked Sendable {
    private let action: () -> Void
    private var event: OpaquePointer?

    /// Calls `action` on `loop` whenever the process receives `signal`, such as `SIGTERM`.
    /// Throws `IOError.system` when the signal cannot be caught.
    public init(_ signal: Int32, on loop: EventLoop, action: @escaping () -> Void) throws(IOError) {
        precondition(loop.isCurrent || EventLoop.current == nil, "a signal source belongs to its loop's thread")
        self.action = action
        // Unretained: `deinit` removes the event, so libevent never calls back for a source that is gone.
        event = event_new(
            loop.base, signal, Int16(EV_SIGNAL | EV_PERSIST),
            { _, _, owner in owner.map { Unmanaged<SignalSource>.fromOpaque($0).takeUnretainedValue().action() } },
            Unmanaged.passUnretained(self).toOpaque())
        guard let event, event_add(event, nil) == 0 else { throw .system(call: "sigaction", errno: errno) }
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    deinit { if let event { event_free(event) } }
}
