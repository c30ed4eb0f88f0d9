import Testing

@testable import Vault

@Suite struct PatientClockTests {
    /// Seconds of real time and of the clock, and what is believed.
    @Test(arguments: [
        // It runs as it should.
        [(0, 1_000, 1_000), (10, 1_010, 1_010), (86_400, 87_400, 87_400)],
        // Set forward: real time goes on. Back again: nothing has happened.
        [(0, 1_000, 1_000), (10, 87_410, 1_010), (20, 87_420, 1_020), (30, 1_030, 1_030), (3_700, 4_700, 4_700)],
        // Set back, and right again.
        [(0, 100_000, 100_000), (10, 10, 10), (20, 100_020, 100_020)],
        // Ahead for an hour without a break: it is believed, also where it goes on from there.
        [
            (0, 0, 0), (10, 86_410, 10), (3_609, 90_009, 3_609), (3_610, 90_010, 90_010), (3_620, 90_020, 90_020),
            (3_630, 190_000, 90_030),
        ],
        // With a break it begins anew.
        [(0, 0, 0), (10, 86_410, 10), (3_000, 3_000, 3_000), (3_700, 90_100, 3_700), (7_300, 93_700, 93_700)],
    ])
    func clock(readings: [(elapsed: Int64, unix: Int64, believed: Int64)]) {
        let clock = PatientClock()
        for (elapsed, unix, believed) in readings {
            #expect(clock.seconds(unix: unix, elapsed: elapsed * 1_000 + 5_000_000) == believed, "\(elapsed)")
        }
    }
}
