import Configuration
import FormSchema
import Testing

@testable import Gateway

@Suite struct ZoneClockTests {
    @Test(arguments: [
        ("UTC", true), ("America/New_York", true), ("Asia/Kathmandu", true), ("Mars/Olympus", false), ("", false),
        ("../etc/passwd", false), ("America", false), ("New_York", false),
    ])
    func zones(name: String, exists: Bool) {
        #expect(ZoneClock.exists(name) == exists)
        #expect((ZoneClock(name) != nil) == exists)
    }

    /// What is no day somewhere on earth is none to evaluate at.
    @Test(arguments: [
        ("2026-11-21T18:37:05Z", true), ("1970-01-01T00:00:00Z", true), ("0000-06-01T00:00:00Z", false),
        ("0001-01-01T00:00:00Z", false), ("0001-01-02T00:00:00Z", true), ("1582-10-03T23:59:59Z", true),
        ("1582-10-04T12:00:00Z", false), ("1582-10-10T00:00:00Z", false), ("1582-10-15T12:00:00Z", false),
        ("1582-10-16T00:00:00Z", true), ("9999-12-30T23:59:59Z", true), ("9999-12-31T00:00:00Z", false),
    ])
    func days(instant: String, isCovered: Bool) throws {
        let seconds = try #require(Instant.seconds(of: instant))
        #expect(OfflineEvaluation.isCovered(seconds) == isCovered)
    }
}
