import Synchronization
import Testing

@testable import Gateway

@Suite struct FairSemaphoreTests {
    private final class Tally: Sendable {
        let inside = Atomic<Int>(0)
        let most = Atomic<Int>(0)
        let done = Atomic<Int>(0)
    }

    /// Who was let in after whom.
    private final class Order: Sendable {
        let entered = Mutex<[String]>([])

        func stand(_ origin: String, at semaphore: FairSemaphore) -> Task<Bool, Never> {
            Task {
                guard await semaphore.acquire(from: origin) else { return false }
                entered.withLock { $0.append(origin) }
                semaphore.release()
                return true
            }
        }
    }

    @Test func soManyAtOnceAndTheOthersInTurn() async {
        let semaphore = FairSemaphore(permits: 2, queueLimit: 100)
        let tally = Tally()
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    guard await semaphore.acquire(from: "a") else { return }
                    tally.most.max(tally.inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                    await Task.yield()
                    tally.inside.subtract(1, ordering: .relaxed)
                    tally.done.add(1, ordering: .relaxed)
                    semaphore.release()
                }
            }
        }
        #expect(tally.done.load(ordering: .relaxed) == 50)
        #expect((1...2).contains(tally.most.load(ordering: .relaxed)))
    }

    @Test func aFullLineTurnsAway() async {
        let semaphore = FairSemaphore(permits: 1, queueLimit: 1)
        #expect(await semaphore.acquire(from: "a"))
        let waiting = Task { await semaphore.acquire(from: "a") }
        while semaphore.waiting == 0 { await Task.yield() }
        #expect(await !semaphore.acquire(from: "a"))
        semaphore.release()
        #expect(await waiting.value)
        #expect(semaphore.waiting == 0)
        semaphore.release()
        #expect(await semaphore.acquire(from: "a"))
    }

    /// One crowd in the line keeps nobody else out, and does not go first either.
    @Test func aCrowdGivesWay() async {
        let semaphore = FairSemaphore(permits: 1, queueLimit: 4)
        #expect(await semaphore.acquire(from: "crowd"))
        let order = Order()
        var crowd: [Task<Bool, Never>] = []
        for number in 1...4 {
            crowd.append(order.stand("crowd", at: semaphore))
            while semaphore.waiting < number { await Task.yield() }
        }
        #expect(await !semaphore.acquire(from: "crowd"))
        let one = order.stand("one", at: semaphore)
        #expect(await !crowd[3].value)
        let other = order.stand("other", at: semaphore)
        #expect(await !crowd[2].value)
        // Now there are two of the crowd and two others: whoever comes next would be one of the most.
        #expect(await !semaphore.acquire(from: "crowd"))
        semaphore.release()
        for task in [one, other, crowd[0], crowd[1]] { #expect(await task.value) }
        let entered = order.entered.withLock { $0 }
        #expect(entered.first == "crowd" && entered.dropFirst().first != "crowd" && entered.count == 4)
    }
}
