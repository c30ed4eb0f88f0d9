import Synchronization
import Testing

@testable import Vault

@Suite struct PatientClockTests {
    /// Seconds of real time and of the clock, and what is believed.
    @Test(arguments: [
        // It runs as it should.
        [(0, 1_000, 1_000), (10, 1_010, 1_010), (86_400, 87_400, 87_400)],
        // Set forward: real time goes on. Back again: nothing has happened.
        [(0, 1_000, 1_000), (10, 87_410, 1_012), (20, 87_420, 1_022), (30, 1_030, 1_030), (3_700, 4_700, 4_700)],
        // Set back, and right again.
        [(0, 100_000, 100_000), (10, 10, 10), (20, 100_020, 100_020)],
        // Ahead for an hour without a break: it is believed, also where it goes on from there.
        [
            (0, 0, 0), (10, 86_410, 12), (3_609, 90_009, 3_611), (3_610, 90_010, 90_010), (3_620, 90_020, 90_020),
            (3_630, 190_000, 90_032),
        ],
        // With a break it begins anew.
        [(0, 0, 0), (10, 86_410, 12), (3_000, 3_000, 3_000), (3_700, 90_100, 3_702), (7_300, 93_700, 93_700)],
        // Set forward in two steps: time does not run back between them.
        [(0, 1_000, 1_000), (10, 1_012, 1_012), (10, 1_013, 1_012), (11, 1_014, 1_013), (12, 1_015, 1_014)],
    ])
    func clock(readings: [(elapsed: Int64, unix: Int64, believed: Int64)]) {
        let clock = PatientClock()
        for (elapsed, unix, believed) in readings {
            #expect(clock.seconds(unix: unix, elapsed: elapsed * 1_000 + 5_000_000) == believed, "\(elapsed)")
        }
    }

    /// Seconds of real time and of the clock, and what ends go by.
    @Test(arguments: [
        // It runs as it should, and is read a little late.
        [(0, 1_000, 1_000), (10, 1_010, 1_010), (20, 1_018, 1_018), (86_400, 87_400, 87_400)],
        // Set back, and right again: time goes on.
        [
            (0, 100_000, 100_000), (3_600, 103_600, 103_600), (3_610, 10, 103_610), (7_200, 3_600, 107_200),
            (7_205, 107_205, 107_205),
        ],
        // Set forward: what it says, and when it is right again, that.
        [(0, 1_000, 1_000), (10, 87_410, 87_410), (20, 1_020, 1_020)],
        // Behind for an hour without a break: it is believed, also where it goes on from there.
        [
            (0, 100_000, 100_000), (3_600, 103_600, 103_600), (3_610, 10, 103_610), (7_209, 3_609, 107_209),
            (7_210, 3_610, 3_610), (7_220, 3_620, 3_620),
        ],
        // With a break it begins anew.
        [
            (0, 100_000, 100_000), (3_600, 103_600, 103_600), (3_610, 10, 103_610), (6_600, 106_600, 106_600),
            (7_300, 10, 107_300), (10_900, 10, 10),
        ],
        // Ahead from the start: once it is right, for as long as it was not.
        [
            (0, 200_000, 200_000), (60, 200_060, 200_060), (70, 100_070, 200_070), (139, 100_139, 200_139),
            (140, 100_140, 100_140), (150, 100_150, 100_150),
        ],
        // Later by a second in an hour than real time.
        [
            (0, 1_000, 1_000), (3_600, 4_599, 4_599), (7_200, 8_198, 8_198), (10_800, 11_797, 11_797),
            (10_801, 11_798, 11_798),
        ],
    ])
    func clockForEnds(readings: [(elapsed: Int64, unix: Int64, told: Int64)]) {
        let clock = PatientClock()
        for (elapsed, unix, told) in readings {
            let milliseconds = clock.milliseconds(unix: unix * 1_000, elapsed: elapsed * 1_000 + 5_000_000)
            #expect(milliseconds / 1_000 == told, "\(elapsed)")
        }
    }

    /// A first reading that took eight seconds: the clock may be as much ahead of the least that it can mean, and is right either way.
    @Test(arguments: [0, 1_000, 8_000] as [Int64]) func aSlowReading(ahead: Int64) {
        let clock = PatientClock()
        clock.begin(least: 1_000_000, elapsed: 50_000, took: 8_000)
        for passed in [0, 10_000, 3_700_000] as [Int64] {
            let unix = 1_000_000 + ahead + passed
            #expect(clock.milliseconds(unix: unix, elapsed: 50_000 + passed) == unix)
            #expect(clock.seconds(unix: unix / 1_000, elapsed: 50_000 + passed) == unix / 1_000)
        }
        #expect(clock.milliseconds(unix: 0, elapsed: 3_760_000) >= 1_000_000 + 3_700_000)
    }

    /// The machine's clock, as a vault goes by it that no other process uses.
    @Test func aMachinesClock() {
        let passed = Mutex<Int64>(0)
        let set = Mutex<Int64>(0)
        let elapsed = { @Sendable in passed.withLock { $0 } }
        let clock = VaultClock(told: { elapsed() + set.withLock { $0 } }, elapsedMilliseconds: elapsed)
        set.withLock { $0 = 1_000_000_500 }
        #expect(
            (clock.unixSeconds(), clock.unixMilliseconds(), clock.patientSeconds()) == (
                1_000_000, 1_000_000_500, 1_000_000
            ))
        passed.withLock { $0 = 7_000_000 }
        set.withLock { $0 -= 500_000_000 }
        #expect((clock.unixSeconds(), clock.patientSeconds(), clock.toldSeconds()) == (1_007_000, 507_000, 507_000))
        #expect(clock.unixMilliseconds() == 1_007_000_000)
        set.withLock { $0 += 1_000_000_000 }
        #expect((clock.unixSeconds(), clock.patientSeconds(), clock.toldSeconds()) == (1_507_000, 1_007_002, 1_507_000))
    }

    /// Whatever a server tells as its time, at first or later, is counted with.
    @Test func anyTime() {
        let times: [Int64] = [.min, .min + 1, -1, 0, 1, 1_800_000_000_000, .max - 1, .max]
        for first in times {
            for second in times {
                let clock = PatientClock()
                for (passed, time) in [first, second, first, second].enumerated() {
                    let elapsed = Int64(passed) * 3_600_000
                    _ = (
                        clock.milliseconds(unix: time, elapsed: elapsed),
                        clock.seconds(unix: time / 1_000, elapsed: elapsed)
                    )
                }
                // In the end it is believed.
                for elapsed in [20_000_000, 40_000_000, 44_000_000, 48_000_000] as [Int64] {
                    _ = clock.milliseconds(unix: elapsed, elapsed: elapsed)
                }
                #expect(clock.milliseconds(unix: 50_000_000, elapsed: 50_000_000) == 50_000_000)
                #expect(clock.seconds(unix: 50_000, elapsed: 50_000_000) == 50_000)
            }
        }
    }

    /// A clock that is right is believed to the second, wherever between two seconds both were read first: what has expired by it stays so.
    @Test func aRightClockIsBelieved() {
        for (first, late) in [(0, 0), (1, 0), (500, 1), (999, 0), (999, 2), (0, 900), (999, 999)] as [(Int64, Int64)] {
            let clock = PatientClock()
            var wrong: [Int64] = []
            for passed in stride(from: 0 as Int64, through: 20_000, by: 7) {
                let unix = (1_000_000 + first + passed) / 1_000
                // Only the first reading was interrupted between the two clocks.
                let elapsed = 5_000 + passed + (passed == 0 ? late : 0)
                if clock.seconds(unix: unix, elapsed: elapsed) != unix { wrong.append(passed) }
            }
            #expect(wrong == [], "\(first) \(late)")
        }
    }
}
