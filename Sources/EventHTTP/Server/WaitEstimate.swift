import EventIO

/// Estimates how long a new request would wait for the handlers of its loop, by Little's law: the requests in progress divided
/// by the rate at which they are completed. A value without I/O.
///
/// Requests that wait for an upstream, or sleep, are subtracted: they wait for others and not for this process. The time that a
/// request takes without a queue is subtracted as well, so that a slow but not overloaded vault refuses nothing. It is the least
/// measured while few requests are in progress, rising slowly, and few are always accepted.
///
/// Limit: all requests of a loop share one estimate. Many fast requests hide the queue of few slow ones.
struct WaitEstimate {
    /// With fewer requests in progress than this, none is refused, and the time without a queue is measured.
    static let few = 32
    /// The rate is measured over windows of at least this many milliseconds, each of which has three quarters of the weight of the
    /// next: a vault completes requests in batches, and a single window may have two of them, or none.
    static let window: Int64 = 100

    private(set) var inProgress = 0
    private var completed = 0
    private var mostInProgress = 0
    private var start = MonotonicTime(milliseconds: 0)
    /// Requests completed in the windows before, and how many milliseconds these took, weighted.
    private var past = (completed: 0.0, elapsed: 0.0)
    /// Whether a rate is known: not in the first window, nor in the first one after an idle time. A burst that arrives then has waited
    /// for nothing yet, and is not refused.
    private var isMeasured = false
    /// Milliseconds.
    private var unloaded = 0.0

    mutating func begin() {
        inProgress += 1
        mostInProgress = max(mostInProgress, inProgress)
    }

    mutating func end() {
        inProgress -= 1
        completed += 1
    }

    /// Ends the window if it is long enough.
    ///
    /// - Parameter elsewhere: how many of the requests in progress wait for an upstream or sleep.
    mutating func update(_ now: MonotonicTime, elsewhere: Int) {
        let elapsed = now.milliseconds - start.milliseconds
        guard elapsed >= WaitEstimate.window else { return }
        // After an idle time the old rate means nothing, and that of the idle time neither.
        isMeasured = elapsed < 10 * WaitEstimate.window
        past.completed = isMeasured ? past.completed * 0.75 + Double(completed) : 0
        past.elapsed = isMeasured ? past.elapsed * 0.75 + Double(elapsed) : 0
        if mostInProgress < WaitEstimate.few {
            let measured = rate > 0 ? Double(own(elsewhere)) / rate : 0
            // By 5% and 1 ms per window: doubled within a second or two, so that it follows a vault that became slower.
            unloaded = unloaded == 0 ? measured : min(measured, unloaded * 1.05 + 1)
        }
        start = now
        completed = 0
        mostInProgress = inProgress
    }

    /// The wait of a new request in milliseconds; 0 if few are in progress.
    func wait(elsewhere: Int) -> Int64 {
        let own = own(elsewhere)
        guard own >= WaitEstimate.few, isMeasured else { return 0 }
        guard rate > 0 else { return .max }
        return Int64(min(max(0, Double(own) / rate - unloaded), 1e9))
    }

    /// Requests per millisecond.
    private var rate: Double { past.elapsed > 0 ? past.completed / past.elapsed : 0 }

    private func own(_ elsewhere: Int) -> Int { max(0, inProgress - elsewhere) }
}
