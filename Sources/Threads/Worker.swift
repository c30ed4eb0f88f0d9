import Glibc
import Synchronization

/// A thread that runs one function to its end.
package final class Worker: Sendable {
    private let thread: Mutex<pthread_t?>

    /// Starts the thread; `nil` if the system has none to give.
    package init?(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Body(run: body))
        // The thread takes over the one reference that is passed here.
        let result = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            box.release()
            return nil
        }
        self.thread = Mutex(thread)
    }

    deinit {
        if let thread = thread.withLock({ $0 }) { pthread_detach(thread) }
    }

    /// Waits for the end of the function. Not to be called from within it.
    package func join() {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread { pthread_join(thread, nil) }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
