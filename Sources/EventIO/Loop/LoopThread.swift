import CLibevent
import Glibc
import Threads

extension EventLoop {
    /// Runs the loop on a thread of its own, named after it. All signals are blocked there, so that they are delivered to the
    /// thread that has a `SignalSource`. Throws `IOError.system` when no thread can be created.
    public func start() throws(IOError) {
        var blocked = sigset_t()
        var previous = sigset_t()
        sigfillset(&blocked)
        pthread_sigmask(SIG_SETMASK, &blocked, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

        // The thread retains the loop while it runs.
        let worker = Worker { [self] in
            cloakroom_name_thread(name)
            run()
        }
        // The only reason that the system has (pthread_create(3)).
        guard worker != nil else { throw .system(call: "pthread_create", errno: EAGAIN) }
    }
}

/// The loop that the calling thread runs, kept in a thread-specific slot.
enum CurrentLoop {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Fails only when the process has used all of its 1,024 keys; slot 0 would then belong to other code.
        precondition(pthread_key_create(&key, nil) == 0, "no thread-specific slot left")
        return key
    }()

    static func set(_ loop: EventLoop?) {
        pthread_setspecific(key, loop.map { Unmanaged.passUnretained($0).toOpaque() })
    }

    /// Unretained is sound: `EventLoop.run` keeps the loop alive while the slot names it.
    static var loop: EventLoop? {
        pthread_getspecific(key).map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    static func `is`(_ loop: EventLoop) -> Bool {
        pthread_getspecific(key) == Unmanaged.passUnretained(loop).toOpaque()
    }
}
