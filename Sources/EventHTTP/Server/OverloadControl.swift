import EventIO

/// Decides which requests of one loop are refused because they would wait, or have waited, longer than allowed. There are two
/// queues, and each is measured where it is:
/// - Requests that handlers have begun and not completed, for example because they wait for a commit of the vault: the wait of a
///   new one is estimated (`WaitEstimate`). An estimate may be wrong: what has waited too long all the same is refused where it waits,
///   when its turn comes (``ServerRequest/maxWait``).
/// - Requests that lie in the kernel's buffers because the loop is busy: only if the last two iterations took long can a request
///   be old; then the kernel is asked how long ago its last bytes came.
///
/// Without overload this costs a few additions per request and two readings of the clock.
struct OverloadControl {
    /// Milliseconds.
    private let maximum: Int64
    private var estimate = WaitEstimate()
    private var iteration = 0
    private var iterationStart = MonotonicTime.now
    private var previousStart = MonotonicTime.now

    /// How long the last two iterations of the loop took, in milliseconds: a response may have to wait for as long.
    private var lag: Int64 = 0

    init(maximum: Duration) { self.maximum = maximum.wholeMilliseconds }

    /// How long a request that is handled now may wait, the time before included, for its response to leave within the maximum.
    var maxWait: Duration { .milliseconds(max(maximum - lag, maximum / 2)) }

    /// How many milliseconds a request that has just been read from `socket` had waited before; 0 if not long.
    mutating func age(of socket: Socket) -> Int64 {
        let loop = socket.loop
        let now = MonotonicTime.now
        if loop.iteration != iteration {
            // If the loop was idle in between, its previous iteration did not delay anything.
            previousStart = loop.iteration == iteration &+ 1 ? iterationStart : now
            iteration = loop.iteration
            iterationStart = now
            estimate.update(now, elsewhere: loop.waitingElsewhere)
        }
        lag = now.milliseconds - previousStart.milliseconds
        return lag > maximum / 8 ? socket.millisecondsSinceLastBytes : 0
    }

    /// Judges a request. Returns `nil` if it is to be handled, or the seconds after which another attempt is likely to be handled.
    /// Then neither `begin` nor `end` is to be called.
    ///
    /// A quarter of the maximum is left for what the estimate can't know: the next requests may take longer than the last.
    func retryDelay(for request: ServerRequest) -> Int? {
        if request.waited > maximum { return Self.seconds(request.waited) }
        let wait = estimate.wait(elsewhere: request.loop.waitingElsewhere)
        guard wait > 0 else { return nil }
        return wait > maximum - max(maximum / 4, request.waited) ? Self.seconds(wait) : nil
    }

    mutating func begin() { estimate.begin() }

    mutating func end() { estimate.end() }

    /// At least one, and at most thirty: an estimate for a longer time is worth nothing.
    private static func seconds(_ milliseconds: Int64) -> Int {
        Int(min(30, max(1, (min(milliseconds, 30_000) + 999) / 1_000)))
    }
}
