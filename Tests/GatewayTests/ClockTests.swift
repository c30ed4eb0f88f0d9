import FormSchema
import Testing

@testable import Gateway

@Suite struct ClockTests {
    @Test(arguments: [
        ("UTC", true), ("America/New_York", true), ("Asia/Kathmandu", true), ("Mars/Olympus", false), ("", false),
        ("../etc/passwd", false), ("America", false), ("New_York", false),
    ])
    func zones(name: String, exists: Bool) {
        #expect(ZoneClock.exists(name) == exists)
        #expect((ZoneClock(name) != nil) == exists)
    }

    @Test func aMinuteHasItsLimit() {
        let limiter = RateLimiter(limit: 3)
        // Two windows at most can pass here, so seven requests are too many for them.
        let remaining = (0..<7).map { _ in limiter.count().remaining }
        #expect(remaining.contains(nil))
        #expect(remaining.first == 2)
    }
}
