import Glibc

/// Which loop the calling thread runs, kept in a thread-specific slot.
enum CurrentLoop {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Fails only when the process has used up its 1,024 keys; then slot 0 would be another owner's.
        precondition(pthread_key_create(&key, nil) == 0, "no thread-specific slot left")
        return key
    }()

    static func set(_ loop: EventLoop?) {
        pthread_setspecific(key, loop.map { Unmanaged.passUnretained($0).toOpaque() })
    }

    /// Unretained is sound: `EventLoop.run` holds the loop for as long as the slot names it.
    static var loop: EventLoop? {
        pthread_getspecific(key).map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    static func `is`(_ loop: EventLoop) -> Bool {
        pthread_getspecific(key) == Unmanaged.passUnretained(loop).toOpaque()
    }
}
