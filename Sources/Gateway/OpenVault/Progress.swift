/// When a long operation says how far it is, and in which words: nothing for the first two seconds, then a line at every interval.
public struct Progress: Sendable {
    /// Operations that take less say nothing.
    public static let silence = 2.0

    private let name: String
    private let interval: Double
    private let start: Double
    private var next: Double

    /// - Parameters:
    ///   - name: what is being done, such as `rewrap`.
    ///   - interval: seconds from one line to the next.
    ///   - now: seconds of a monotonic clock.
    public init(_ name: String, every interval: Double, at now: Double = Progress.now) {
        self.name = name
        self.interval = interval
        start = now
        next = now + Self.silence
    }

    /// The line that is due now, if one is: `rewrap: 42%, 12 s left`. The time left is that of a steady pace.
    ///
    /// - Parameters:
    ///   - done: of `total`, in any unit.
    ///   - now: seconds of the same clock.
    public mutating func line(_ done: Int, of total: Int, at now: Double = Progress.now) -> String? {
        guard now >= next, total > 0 else { return nil }
        next = now + interval
        let share = min(max(Double(done) / Double(total), 0), 1)
        guard share > 0 else { return "\(name): 0%" }
        return "\(name): \(Int(share * 100))%, \(Self.text((now - start) * (1 - share) / share)) left"
    }

    /// A length of time as a person says it.
    private static func text(_ seconds: Double) -> String {
        // More than a century: there is no pace yet.
        let seconds = Int(min(seconds, 3e9).rounded(.up))
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7_200 { return "\(seconds / 60) min" }
        return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    }

    /// Seconds of the monotonic clock.
    public static var now: Double { Double(SystemClock.monotonicMicroseconds) / 1_000_000 }
}
