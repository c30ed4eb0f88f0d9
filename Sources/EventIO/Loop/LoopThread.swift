import CLibevent
import Glibc

extension EventLoop {
    /// Runs the loop on a thread of its own, named after it. All signals are blocked there: they go to the thread that
    /// asked for them. Throws `IOError.system` when no thread can be had.
    public func start() throws(IOError) {
        var blocked = sigset_t()
        var previous = sigset_t()
        sigfillset(&blocked)
        pthread_sigmask(SIG_SETMASK, &blocked, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

        var thread = pthread_t()
        // The thread owns one reference to the loop for as long as it runs.
        let argument = Unmanaged.passRetained(self)
        let outcome = pthread_create(&thread, nil, { loopThread($0) }, argument.toOpaque())
        guard outcome == 0 else {
            argument.release()
            throw .system(call: "pthread_create", errno: outcome)
        }
        pthread_detach(thread)
    }
}

private func loopThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let loop = Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
    cloakroom_name_thread(loop.name)
    loop.run()
    return nil
}
