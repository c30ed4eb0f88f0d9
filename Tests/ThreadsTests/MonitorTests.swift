import Glibc
import Testing

@testable import Threads

@Suite struct MonitorTests {
    @Test(arguments: [-5, 0, 20] as [Int]) func aSleepEndsAtItsTime(milliseconds: Int) {
        let monitor = Monitor(0)
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        let looks = monitor.wait { looks, isDue in
            looks += 1
            return isDue ? .found(looks) : .sleep(until: end)
        }
        // A condition may wake without a reason, but not all the time.
        #expect(.now >= end && (2...4).contains(looks))
    }

    /// A thread that is woken looks again, and knows that it was not its time that came.
    @Test(arguments: [nil, .seconds(600)] as [Duration?]) func wakingEndsASleep(limit: Duration?) {
        let monitor = Monitor((sleeps: false, isRaised: false))
        let worker = Worker {
            while !monitor.withLock({ $0.sleeps }) { usleep(1_000) }
            monitor.withLock { $0.isRaised = true }
            monitor.wakeOne()
        }
        let wasDue = monitor.wait { state, isDue in
            state.sleeps = true
            return state.isRaised ? .found(isDue) : .sleep(until: limit.map { .now + $0 })
        }
        #expect(worker != nil && !wasDue)
    }

    /// Threads that take turns and wait for each other see every change, and all of them learn of the end.
    @Test func threadsTakeTurns() {
        let (threads, rounds) = (4, 500)
        let monitor = Monitor((turn: 0, log: [Int]()))
        let workers = (0..<threads).compactMap { number in
            Worker {
                while true {
                    let isOver = monitor.wait { state, _ in
                        if state.log.count == threads * rounds { return .found(true) }
                        guard state.turn == number else { return .sleep(until: nil) }
                        state.log.append(number)
                        state.turn = (number + 1) % threads
                        return .found(false)
                    }
                    monitor.wakeAll()
                    if isOver { return }
                }
            }
        }
        for worker in workers { worker.join() }
        #expect(workers.count == threads)
        #expect(monitor.withLock { $0.log } == (0..<threads * rounds).map { $0 % threads })
    }

    @Test func aThreadRetainsWhatItRunsUntilItsEnd() {
        let held = Monitor(false)
        weak let observed = held
        let worker = Worker { [held] in
            usleep(5_000)
            held.withLock { $0 = true }
        }
        worker?.join()
        #expect(observed?.withLock { $0 } == true)
    }
}
