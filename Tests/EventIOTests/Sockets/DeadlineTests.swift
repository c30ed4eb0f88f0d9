import Testing

@testable import EventIO

@Suite struct DeadlineTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(milliseconds: milliseconds)
    }

    enum Step: Sendable {
        /// Sets a deadline; the timer must then be armed for the second time, if there is one.
        case set(Int64?, arms: Int64?)
        case fires(at: Int64, Deadline.Expiry)
        case armingFails
        case closes
    }

    @Test(
        arguments: [
            // A later deadline leaves the timer where it is.
            ([.set(10, arms: 10), .set(20, arms: nil)], .running(due: time(20), armed: time(10))),
            (
                [.set(10, arms: 10), .set(20, arms: nil), .fires(at: 10, .rearm(time(20)))],
                .running(due: time(20), armed: time(20))
            ),
            ([.set(20, arms: 20), .set(10, arms: 10)], .running(due: time(10), armed: time(10))),
            ([.set(10, arms: 10), .fires(at: 10, .timedOut)], .passed(due: time(10))),
            ([.set(10, arms: 10), .fires(at: 10, .timedOut), .fires(at: 11, .ignore)], .passed(due: time(10))),
            (
                [.set(10, arms: 10), .fires(at: 10, .timedOut), .set(30, arms: 30)],
                .running(due: time(30), armed: time(30))
            ),
            ([.set(10, arms: 10), .fires(at: 10, .timedOut), .set(nil, arms: nil)], .none),
            // A timer that is still armed is used again.
            ([.set(10, arms: 10), .set(nil, arms: nil)], .removed(armed: time(10))),
            (
                [.set(10, arms: 10), .set(nil, arms: nil), .set(15, arms: nil)],
                .running(due: time(15), armed: time(10))
            ),
            ([.set(10, arms: 10), .set(nil, arms: nil), .set(5, arms: 5)], .running(due: time(5), armed: time(5))),
            ([.set(10, arms: 10), .set(nil, arms: nil), .fires(at: 10, .ignore)], .none),
            ([.set(nil, arms: nil), .fires(at: 1, .ignore)], .none),
            ([.set(10, arms: 10), .armingFails], .unarmed(due: time(10))),
            ([.set(10, arms: 10), .armingFails, .set(20, arms: 20)], .running(due: time(20), armed: time(20))),
            // Closed for good.
            ([.closes, .set(10, arms: nil)], .closed),
            ([.set(10, arms: 10), .closes, .set(5, arms: nil), .fires(at: 20, .ignore)], .closed),
        ] as [([Step], Deadline.State)])
    func theTimerFollows(steps: [Step], state: Deadline.State) {
        var deadline = Deadline()
        for step in steps {
            switch step {
            case .set(let due, let arms):
                let armed = deadline.set(due.map(Self.time))
                #expect(armed == arms.map(Self.time))
            case .fires(let now, let expected):
                let expiry = deadline.fired(at: Self.time(now))
                #expect(expiry == expected)
            case .armingFails: deadline.armingFailed()
            case .closes: deadline.close()
            }
        }
        #expect(deadline.state == state)
    }

    @Test func theDeadlineInForceIsKnown() {
        var deadline = Deadline()
        #expect(deadline.due == nil && !deadline.hasPassed)
        _ = deadline.set(Self.time(10))
        #expect(deadline.due == Self.time(10) && !deadline.hasPassed)
        _ = deadline.fired(at: Self.time(12))
        #expect(deadline.due == Self.time(10) && deadline.hasPassed)
        deadline.close()
        #expect(deadline.due == nil && !deadline.hasPassed)
    }
}
