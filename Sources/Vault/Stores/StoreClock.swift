import Synchronization

/// The time of day by the clock of the store.
///
/// Where several processes share a store, what one of them erases, others may still need: one whose clock is wrong must not take a value,
/// a response or a use of a session for overdue. So all go by the clock of the database server, which is read at the start and then
/// regularly, and run on by the time that has passed since. A store that one process has to itself has no clock of its own.
///
/// That clock can be set by mistake too. It is believed as a `PatientClock` believes one: each process holds it against the time that has
/// passed for itself. A process that starts while it is wrong has nothing to hold it against, and believes it.
final class StoreClock: Sendable {
    private static let unread = Int64.min

    private let own: VaultClock
    /// What the store's clock is ahead of the elapsed time, in milliseconds.
    private let ahead = Atomic(StoreClock.unread)
    private let difference = Atomic<Int64>(0)
    /// Holds the store's clock against real time.
    private let patient = PatientClock()

    init(_ own: VaultClock) {
        self.own = own
    }

    var clock: VaultClock {
        var clock = VaultClock(
            unixSeconds: { self.unixMilliseconds / 1_000 }, elapsedMilliseconds: own.elapsedMilliseconds)
        clock.unixMilliseconds = { self.unixMilliseconds }
        clock.patientSeconds = {
            guard self.isRead else { return self.own.patientSeconds() }
            return self.patient.seconds(unix: self.toldSeconds, elapsed: self.own.elapsedMilliseconds())
        }
        clock.toldSeconds = { self.toldSeconds }
        return clock
    }

    /// Seconds by which this process's clock is ahead of the store's; nil if the store has none.
    var processIsAheadBy: Int64? { isRead ? difference.load(ordering: .relaxed) : nil }

    private var isRead: Bool { ahead.load(ordering: .relaxed) != Self.unread }

    private var unixMilliseconds: Int64 {
        guard let milliseconds else { return own.unixMilliseconds() }
        return patient.milliseconds(unix: milliseconds, elapsed: own.elapsedMilliseconds())
    }

    private var toldSeconds: Int64 { milliseconds.map { $0 / 1_000 } ?? own.toldSeconds() }

    /// The store's time; nil if it has not been read.
    private var milliseconds: Int64? {
        let ahead = ahead.load(ordering: .relaxed)
        return ahead == Self.unread ? nil : own.elapsedMilliseconds() &+ ahead
    }

    /// Reads the store's clock beside what `work` reads. The store told its time somewhere between the call and the return: what was known
    /// before holds as long as it lies between them, however long that took.
    func read<Result: Sendable>(
        _ store: any AliasStore, _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        let began = (elapsed: own.elapsedMilliseconds(), seconds: own.toldSeconds())
        let (time, result) = try await store.read { (reading) throws(VaultError) in
            (try reading.time(), try work(reading))
        }
        guard let time else { return result }
        let now = (elapsed: own.elapsedMilliseconds(), seconds: own.toldSeconds())
        let (least, most) = (time &- now.elapsed, time &- began.elapsed)
        // The first reading is believed whatever it says, up to the most that it can mean: a later one may be that much ahead of the least.
        if !isRead { patient.begin(least: time, elapsed: now.elapsed, took: now.elapsed &- began.elapsed) }
        // The first time the least: a clock that is behind erases later.
        ahead.store(isRead ? min(max(ahead.load(ordering: .relaxed), least), most) : least, ordering: .relaxed)
        if let milliseconds { patient.note(unix: milliseconds, elapsed: own.elapsedMilliseconds()) }
        let seconds = time / 1_000
        difference.store(
            seconds < began.seconds ? began.seconds &- seconds : min(0, now.seconds &- seconds), ordering: .relaxed)
        return result
    }
}

extension Vault {
    /// Seconds by which the clock of this process is ahead of the database server's, when that was last read; nil if no other process
    /// uses the store.
    public var clockIsAheadBy: Int64? { storeClock.processIsAheadBy }
}
