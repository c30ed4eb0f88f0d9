import EventIO

/// A connection to an upstream, for one exchange after the other.
///
/// `@unchecked Sendable` is sound because the loop's thread alone touches it.
final class PooledConnection: @unchecked Sendable {
    let stream: EventIO.Stream
    /// What happens when something happens on it while it is idle. Made once, and not every time that it is put away.
    private let whenDisturbed: () -> Void

    /// The stream holds the action while it is watched, and is there when it calls it. The pool is held by its connections, each
    /// of which ends, at the latest when it has been idle for too long: a weak reference would send every count of the pool's
    /// references to a table beside it.
    init(_ stream: EventIO.Stream, of pool: ConnectionPool) {
        self.stream = stream
        whenDisturbed = { [unowned stream] in pool.disturbed(stream) }
    }

    func watch() { stream.watch(whenDisturbed) }

    /// Whether there is nothing to read and no end, by asking the kernel.
    var isQuiet: Bool {
        guard let isQuiet = try? stream.isQuiet() else { return false }
        return isQuiet
    }
}
