import EventIOTesting
import Testing

@testable import EventIO

@Suite struct PendingResultTests {
    @Test func theFirstResultCounts() async throws {
        try await withLoop { loop in
            let pending = PendingResult<Int>(on: loop)
            loop.execute {
                #expect(pending.finish(1))
                #expect(!pending.finish(2))
            }
            #expect(await pending.value(until: testDeadline, expired: 3, cancelled: 4) == 1)
        }
    }

    @Test func aResultMayComeBeforeTheWait() async throws {
        try await withLoop { loop in
            let pending = PendingResult<Int>(on: loop)
            pending.finish(1)
            #expect(await pending.value(until: testDeadline, expired: 3, cancelled: 4) == 1)
        }
    }

    @Test func aDeadlineEndsTheWait() async throws {
        try await withLoop { loop in
            let pending = PendingResult<Int>(on: loop)
            #expect(await pending.value(until: .now + .milliseconds(5), expired: 3, cancelled: 4) == 3)
            #expect(!pending.finish(1))
        }
    }

    @Test(arguments: [true, false])
    func cancellationEndsTheWait(isEarly: Bool) async throws {
        try await withLoop { loop in
            let pending = PendingResult<Int>(on: loop)
            let task = Task(executorPreference: loop) {
                await pending.value(until: testDeadline, expired: 3, cancelled: 4)
            }
            if !isEarly { await loop.sleep(for: .milliseconds(5)) }
            task.cancel()
            #expect(await task.value == 4)
        }
    }
}
