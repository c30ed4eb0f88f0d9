import EventIO
import Synchronization

/// Sends `watchdog` events to the service manager as long as all loops run what is posted to them. A loop that hangs ends them, and
/// the manager restarts the process.
///
/// `@unchecked Sendable` is sound because all mutable state but the counter is used on the control loop's thread only.
final class Watchdog: @unchecked Sendable {
    private let manager: ServiceManager
    private let loops: [EventLoop]
    /// Loops that have run the closure of the current round.
    private let alive = Atomic<Int>(0)
    private let interval: Duration
    private var timer: Timer?

    /// Nil if the manager expects no events.
    init?(_ manager: ServiceManager, loops: [EventLoop]) {
        guard let timeout = manager.watchdogTimeout else { return nil }
        self.manager = manager
        self.loops = loops
        // A third of the timeout: an event may be one round late.
        interval = .milliseconds(max(timeout / 3, 1))
    }

    /// Starts on the control loop, on whose thread it is called.
    func start(on control: EventLoop) {
        let timer = Timer(on: control) { [weak self] in self?.finishRound() }
        self.timer = timer
        beginRound()
    }

    private func beginRound() {
        for loop in loops { loop.execute { [self] in alive.add(1, ordering: .relaxed) } }
        timer?.schedule(after: interval)
    }

    /// A round that is not complete goes on: its closures still wait in the hanging loop.
    private func finishRound() {
        guard alive.load(ordering: .relaxed) == loops.count else {
            timer?.schedule(after: interval)
            return
        }
        manager.notify(.watchdog)
        alive.store(0, ordering: .relaxed)
        beginRound()
    }
}
