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
}
