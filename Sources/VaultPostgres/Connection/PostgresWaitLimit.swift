import CPostgres
import Glibc
import Synchronization
import Threads

/// How long the server is waited for, and how to end all waiting.
///
/// Waits have the length that they are given, until the process is about to end (``endSoon()``): those that begin then are short. After
/// ``end()`` nothing is waited for.
final class PostgresWaitLimit: Sendable {
    /// How long a process that ends waits for one response of the server. One that responds takes milliseconds.
    private static let short = Duration.seconds(2)
    /// After so long it waits for nothing any more.
    static let ending = Duration.seconds(5)

    private let full: Duration
    /// Something can be read from it once the waits are to end that began as full ones.
    private let stopFull: CInt
    /// Something can be read from it once the short ones are to end, too.
    private let stopShort: CInt
    private let isEndingSoon = Atomic(false)
    private let ended = Atomic(false)

    init(_ limit: Duration) {
        full = limit
        stopFull = cloakroom_pq_eventfd()
        stopShort = cloakroom_pq_eventfd()
    }

    deinit { for stop in [stopFull, stopShort] where stop >= 0 { close(stop) } }

    /// Whether the process is about to end.
    var endsSoon: Bool { isEndingSoon.load(ordering: .relaxed) }

    /// How long a wait that begins now may be.
    var longest: Duration { endsSoon ? min(full, Self.short) : full }

    private var stop: CInt { endsSoon ? stopShort : stopFull }

    /// As the C functions take it.
    var limits: cloakroom_pq_wait_limit {
        cloakroom_pq_wait_limit(milliseconds: Self.milliseconds(longest), stop: stop)
    }

    private static func milliseconds(_ duration: Duration) -> CInt {
        let (seconds, attoseconds) = duration.components
        return CInt(clamping: seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000)
    }

    /// Waits until something can be read from `descriptor`: as long as that takes, or, before the process ends, no longer in all than for one
    /// response. Returns whether it can.
    func wait(for descriptor: CInt) -> Bool {
        // Read before `stop`: if the process begins to end in between, the wait has no end of its own, and `stopShort` ends it.
        let end = endsSoon ? ContinuousClock.now + longest : nil
        var files = [descriptor, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            let left = end.map { max(0, Self.milliseconds($0 - .now)) } ?? -1
            let count = poll(&files, nfds_t(files.count), left)
            if count > 0, files[0].revents != 0 { return true }
            guard count < 0, errno == EINTR else { return false }
        }
    }

    /// Whether nothing is to be waited for any more.
    var hasEnded: Bool { ended.load(ordering: .relaxed) }

    /// The process is about to end, and a server that does not respond must not keep it: waits are short from now on, those under way end after
    /// as long, and after ``ending`` all do. What the server responds to in time is still carried out. Returns at once.
    func endSoon() {
        guard !isEndingSoon.exchange(true, ordering: .sequentiallyConsistent) else { return }
        // Without a thread the waits under way end by themselves, if later.
        _ = Worker { [self] in
            usleep(UInt32(Self.milliseconds(Self.short)) * 1_000)
            Self.signal(stopFull)
            usleep(UInt32(Self.milliseconds(Self.ending - Self.short)) * 1_000)
            end()
        }
    }

    /// From now on nothing is waited for any more, by anybody.
    func end() {
        ended.store(true, ordering: .relaxed)
        for stop in [stopFull, stopShort] { Self.signal(stop) }
    }

    private static func signal(_ stop: CInt) {
        var one: UInt64 = 1
        _ = write(stop, &one, 8)
    }
}
