import FormSchema
import Testing

@testable import Gateway

@Suite struct ClockTests {
    @Test(arguments: [
        (0, 1970, 1, 1), (59, 1970, 3, 1), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (20_778, 2026, 11, 21),
        (-1, 1969, 12, 31), (47_540, 2100, 2, 28), (47_541, 2100, 3, 1),
    ])
    func dates(days: Int, year: Int, month: Int, day: Int) {
        let date = CivilDate(daysSinceEpoch: days)
        #expect(date.year == year && date.month == month && date.day == day)
    }

    @Test func instants() {
        #expect(InstantText.seconds(1_795_286_225) == "2026-11-21T18:37:05Z")
        #expect(InstantText.milliseconds(1_795_286_225_007) == "2026-11-21T18:37:05.007Z")
        #expect(InstantText.seconds(0) == "1970-01-01T00:00:00Z")
    }

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
