import CPostgres
import Glibc
import Synchronization

/// How long the server is waited for, and how to end all waiting.
final class PostgresWaitLimit: Sendable {
    private let milliseconds: CInt
    /// Something can be read from it once waiting is to end.
    private let stop: CInt
    private let ended = Atomic(false)

    init(_ limit: Duration) {
        let (seconds, attoseconds) = limit.components
        milliseconds = CInt(clamping: seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000)
        stop = cloakroom_pq_eventfd()
    }

    deinit { if stop >= 0 { close(stop) } }

    /// As the C functions take it.
    var limits: cloakroom_pq_wait_limit { cloakroom_pq_wait_limit(milliseconds: milliseconds, stop: stop) }

    /// Whether nothing is to be waited for any more.
    var hasEnded: Bool { ended.load(ordering: .relaxed) }

    /// From now on nothing is waited for any more, by anybody.
    func end() {
        ended.store(true, ordering: .relaxed)
        var one: UInt64 = 1
        _ = write(stop, &one, 8)
    }
}
