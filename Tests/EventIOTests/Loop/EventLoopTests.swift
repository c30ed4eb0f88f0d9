import EventIO
import EventIOTesting
import Synchronization
import Testing

@Suite struct EventLoopTests {
    @Test func aTaskStaysOnItsLoop() async throws {
        let places = try await withLoop { loop in
            var places = [loop.isCurrent]
            await loop.sleep(for: .milliseconds(1))
            places.append(loop.isCurrent)
            async let child = { loop.isCurrent }()
            places.append(await child)
            return places
        }
        #expect(places == [true, true, true])
    }

    @Test func currentNamesTheLoopOfTheThread() async throws {
        #expect(EventLoop.current == nil)
        let same = try await withLoop { loop in EventLoop.current === loop }
        #expect(same)
    }

    @Test func workFromManyThreadsArrivesOnce() async throws {
        let count = Counter()
        let loop = try EventLoop()
        try loop.start()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        await withCheckedContinuation { continuation in
                            loop.execute {
                                count.value.add(1, ordering: .relaxed)
                                continuation.resume()
                            }
                        }
                    }
                }
            }
        }
        loop.stop()
        #expect(count.value.load(ordering: .relaxed) == 8000)
    }

    @Test func timersFireInOrderAndCanBeTakenBack() async throws {
        let order = try await withLoop { loop in
            let log = Log()
            let withdrawn = Timer(on: loop) { log.entries.append(0) }
            let second = Timer(on: loop) { log.entries.append(2) }
            let first = Timer(on: loop) { log.entries.append(1) }
            second.schedule(after: .milliseconds(40))
            first.schedule(after: .milliseconds(10))
            withdrawn.schedule(after: .milliseconds(5))
            withdrawn.cancel()
            while log.entries.count < 2 { await loop.sleep(for: .milliseconds(20)) }
            withExtendedLifetime((first, second, withdrawn)) {}
            return log.entries
        }
        #expect(order == [1, 2])
    }

    @Test func aCancelledSleepEnds() async throws {
        try await withLoop { loop in
            let start = ContinuousClock.now
            let sleeper = Task(executorPreference: loop) { await loop.sleep(for: .seconds(3600)) }
            sleeper.cancel()
            await sleeper.value
            #expect(ContinuousClock.now - start < .seconds(60))
        }
    }
}

/// Used on one loop's thread.
private final class Log: @unchecked Sendable {
    var entries: [Int] = []
}

private final class Counter: Sendable {
    let value = Atomic(0)
}
