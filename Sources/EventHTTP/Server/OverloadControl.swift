import EventIO

/// Decides which requests of one loop are refused because they would wait, or have waited, longer than allowed. There are two
/// queues, and each is measured where it is:
/// - Requests that handlers have begun and not completed, for example because they wait for a commit of the vault: the wait of a
///   new one is estimated (`WaitEstimate`).
/// - Requests that lie in the kernel's buffers because the loop is busy: only if the last two iterations took longer than
///   allowed can a request be too old; then the kernel is asked how long ago its last bytes came.
///
/// Without overload this costs a few additions per request and two readings of the clock.
struct OverloadControl {
    /// Milliseconds.
    private let maximum: Int64
    private var estimate = WaitEstimate()
    private var iteration = 0
    private var iterationStart = MonotonicTime.now
    private var previousStart = MonotonicTime.now

    init(maximum: Int64) { self.maximum = maximum }

    /// Judges a request that has arrived on `socket`. Returns `nil` if it is to be handled, or the seconds after which another
    /// attempt is likely to be handled. Then neither `begin` nor `end` is to be called.
    mutating func retryDelay(for socket: Socket) -> Int? {
        let loop = socket.loop
        let now = MonotonicTime.now
        if loop.iteration != iteration {
            // If the loop was idle in between, its previous iteration did not delay anything.
            previousStart = loop.iteration == iteration &+ 1 ? iterationStart : now
            iteration = loop.iteration
            iterationStart = now
            estimate.update(now, elsewhere: loop.waitingElsewhere)
        }
        let wait = estimate.wait(elsewhere: loop.waitingElsewhere)
        if wait > maximum { return Self.seconds(wait) }
        guard now.milliseconds - previousStart.milliseconds > maximum else { return nil }
        let age = socket.millisecondsSinceLastBytes
        return age > maximum ? Self.seconds(age) : nil
    }

    mutating func begin() { estimate.begin() }

    mutating func end() { estimate.end() }

    /// At least one, and at most thirty: an estimate for a longer time is worth nothing.
    private static func seconds(_ milliseconds: Int64) -> Int {
        Int(min(30, max(1, (min(milliseconds, 30_000) + 999) / 1_000)))
    }
}
