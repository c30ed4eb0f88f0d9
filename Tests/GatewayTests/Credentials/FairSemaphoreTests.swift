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

        func stand(
            _ origin: String, isKnown: Bool = false, failures: Int = 0, at semaphore: FairSemaphore
        ) -> Task<Bool, Never> {
            Task {
                guard await semaphore.acquire(from: origin, isKnown: isKnown, failures: failures) else { return false }
                entered.withLock { $0.append(origin) }
                semaphore.release(from: origin)
                return true
            }
        }
    }

    @Test func soManyAtOnceAndTheOthersInTurn() async {
        let semaphore = FairSemaphore(permits: 2, queueLimit: 200)
        let tally = Tally()
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    guard await semaphore.acquire(from: "a") else { return }
                    tally.most.max(tally.inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                    await Task.yield()
                    tally.inside.subtract(1, ordering: .relaxed)
                    tally.done.add(1, ordering: .relaxed)
                    semaphore.release(from: "a")
                }
            }
        }
        #expect(tally.done.load(ordering: .relaxed) == 50)
        #expect((1...2).contains(tally.most.load(ordering: .relaxed)))
    }

    @Test func aFullLineTurnsAway() async {
        let semaphore = FairSemaphore(permits: 1, queueLimit: 2)
        #expect(await semaphore.acquire(from: "a"))
        let waiting = Task { await semaphore.acquire(from: "a") }
        while semaphore.waiting == 0 { await Task.yield() }
        #expect(await !semaphore.acquire(from: "a"))
        semaphore.release(from: "a")
        #expect(await waiting.value)
        #expect(semaphore.waiting == 0)
        semaphore.release(from: "a")
        #expect(await semaphore.acquire(from: "a"))
    }

    /// One crowd in the line keeps nobody else out, and does not go first either.
    @Test func aCrowdGivesWay() async {
        let semaphore = FairSemaphore(permits: 1, queueLimit: 8)
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
        semaphore.release(from: "crowd")
        for task in [one, other, crowd[0], crowd[1]] { #expect(await task.value) }
        let entered = order.entered.withLock { $0 }
        #expect(entered.first == "crowd" && entered.dropFirst().first != "crowd" && entered.count == 4)
    }

    /// A thousand addresses that never proved a secret have half of the queue and every other turn; who did is not turned away.
    @Test func thePublicHasHalf() async {
        let semaphore = FairSemaphore(permits: 1, queueLimit: 8)
        #expect(await semaphore.acquire(from: "first"))
        let order = Order()
        var strangers: [Task<Bool, Never>] = []
        for number in 1...4 {
            strangers.append(order.stand("stranger \(number)", at: semaphore))
            while semaphore.waiting < number { await Task.yield() }
        }
        for number in 5...1_000 { #expect(await !semaphore.acquire(from: "stranger \(number)")) }
        var known: [Task<Bool, Never>] = []
        for number in 1...4 {
            known.append(order.stand("known", isKnown: true, at: semaphore))
            while semaphore.waiting < 4 + number { await Task.yield() }
        }
        // Now the queue is full, for the known origin as well; another one takes a place of its.
        #expect(await !semaphore.acquire(from: "known", isKnown: true))
        let other = order.stand("another", isKnown: true, at: semaphore)
        #expect(await !known.removeLast().value)
        #expect(semaphore.usage.used == 9 && semaphore.usage.limit == 9)
        semaphore.release(from: "first")
        for task in strangers + known + [other] { #expect(await task.value) }
        let entered = order.entered.withLock { $0 }
        #expect(
            entered == [
                "known", "stranger 1", "another", "stranger 2", "known", "stranger 3", "known", "stranger 4",
            ])
    }

    /// Known origins may have all of the queue; then the public has what they leave.
    @Test func knownOriginsMayHaveAll() async {
        let semaphore = FairSemaphore(permits: 1, queueLimit: 4)
        #expect(await semaphore.acquire(from: "a", isKnown: true))
        let order = Order()
        var waiting: [Task<Bool, Never>] = []
        for number in 1...3 {
            waiting.append(order.stand("a", isKnown: true, at: semaphore))
            while semaphore.waiting < number { await Task.yield() }
        }
        waiting.append(order.stand("stranger", at: semaphore))
        while semaphore.waiting < 4 { await Task.yield() }
        #expect(await !semaphore.acquire(from: "another stranger"))
        semaphore.release(from: "a")
        for task in waiting { #expect(await task.value) }
    }

    /// Of strangers with as many waiters each, those that have failed more often give way, the newest first.
    @Test(
        arguments: [
            (waiting: [1, 1, 1, 1], new: 0, rejected: 3), ([0, 1, 2, 1], 0, 2), ([0, 1, 1, 0], 0, 2),
            ([3, 2, 2, 2], 2, 0),
            ([1, 1, 1, 1], 1, nil), ([0, 0, 0, 0], 1, nil), ([0, 0, 0, 0], 0, nil), ([2, 2, 2, 2], 3, nil),
        ] as [(waiting: [Int], new: Int, rejected: Int?)])
    func whoHasFailedGivesWay(waiting: [Int], new: Int, rejected: Int?) async {
        let semaphore = FairSemaphore(permits: 1, queueLimit: 8)
        #expect(await semaphore.acquire(from: "first"))
        let order = Order()
        var strangers: [Task<Bool, Never>] = []
        for (number, failures) in waiting.enumerated() {
            strangers.append(order.stand("stranger \(number)", failures: failures, at: semaphore))
            while semaphore.waiting < number + 1 { await Task.yield() }
        }
        let task = order.stand("new", failures: new, at: semaphore)
        if let rejected { #expect(await !strangers[rejected].value) } else { #expect(await !task.value) }
        semaphore.release(from: "first")
        for (number, stranger) in strangers.enumerated() where number != rejected { #expect(await stranger.value) }
        #expect(await task.value == (rejected != nil))
    }

    /// A second permit is for another subscriber.
    @Test func aSubscriberHoldsOneAtATime() async {
        let semaphore = FairSemaphore(permits: 2, queueLimit: 8)
        #expect(await semaphore.acquire(from: "a"))
        let again = Task { await semaphore.acquire(from: "a") }
        while semaphore.waiting < 1 { await Task.yield() }
        #expect(await semaphore.acquire(from: "b"))
        let known = Task { await semaphore.acquire(from: "b", isKnown: true) }
        while semaphore.waiting < 2 { await Task.yield() }
        // The known one has the first turn, but for its own subscriber's permit.
        semaphore.release(from: "a")
        #expect(await again.value)
        #expect(semaphore.waiting == 1)
        semaphore.release(from: "b")
        #expect(await known.value)
        for subscriber in ["a", "b"] { semaphore.release(from: subscriber) }
        #expect(semaphore.usage.used == 0)
    }
}

extension FairSemaphore {
    /// For a subscriber without failures.
    fileprivate func acquire(from subscriber: String, isKnown: Bool = false) async -> Bool {
        await acquire(from: subscriber, isKnown: isKnown, failures: 0)
    }
}
