/// When what has failed may be tried again: after a second, and after twice as long each time that it fails again, up to eight. So a
/// disk that is full is not written to for every request that it refuses, and is found to have room again within seconds.
struct RetryPause {
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(8)

    private var pause = Duration.zero
    private var end: ContinuousClock.Instant?

    /// What is left of the pause; zero if it may be tried.
    func rest(at now: ContinuousClock.Instant = .now) -> Duration {
        guard let end else { return .zero }
        return max(.zero, end - now)
    }

    mutating func failed(at now: ContinuousClock.Instant = .now) {
        pause = pause == .zero ? Self.shortest : min(pause * 2, Self.longest)
        end = now + pause
    }

    mutating func succeeded() { self = RetryPause() }
}
