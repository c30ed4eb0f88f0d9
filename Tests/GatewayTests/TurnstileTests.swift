import Synchronization
import Testing

@testable import Gateway

@Suite struct TurnstileTests {
    private final class Tally: Sendable {
        let inside = Atomic<Int>(0)
        let most = Atomic<Int>(0)
        let done = Atomic<Int>(0)
    }

    /// Who was let in after whom.
    private final class Order: Sendable {
        let entered = Mutex<[String]>([])

        func stand(_ origin: String, at turnstile: Turnstile) -> Task<Bool, Never> {
            Task {
                guard await turnstile.enter(from: origin) else { return false }
                entered.withLock { $0.append(origin) }
                turnstile.leave()
                return true
            }
        }
    }

    @Test func soManyAtOnceAndTheOthersInTurn() async {
        let turnstile = Turnstile(free: 2, places: 100)
        let tally = Tally()
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    guard await turnstile.enter(from: "a") else { return }
                    tally.most.max(tally.inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                    await Task.yield()
                    tally.inside.subtract(1, ordering: .relaxed)
                    tally.done.add(1, ordering: .relaxed)
                    turnstile.leave()
                }
            }
        }
        #expect(tally.done.load(ordering: .relaxed) == 50)
        #expect((1...2).contains(tally.most.load(ordering: .relaxed)))
    }

    @Test func aFullLineTurnsAway() async {
        let turnstile = Turnstile(free: 1, places: 1)
        #expect(await turnstile.enter(from: "a"))
        let waiting = Task { await turnstile.enter(from: "a") }
        while turnstile.waiting == 0 { await Task.yield() }
        #expect(await !turnstile.enter(from: "a"))
        turnstile.leave()
        #expect(await waiting.value)
        #expect(turnstile.waiting == 0)
        turnstile.leave()
        #expect(await turnstile.enter(from: "a"))
    }

    /// One crowd in the line keeps nobody else out, and does not go first either.
    @Test func aCrowdGivesWay() async {
        let turnstile = Turnstile(free: 1, places: 4)
        #expect(await turnstile.enter(from: "crowd"))
        let order = Order()
        var crowd: [Task<Bool, Never>] = []
        for number in 1...4 {
            crowd.append(order.stand("crowd", at: turnstile))
            while turnstile.waiting < number { await Task.yield() }
        }
        #expect(await !turnstile.enter(from: "crowd"))
        let one = order.stand("one", at: turnstile)
        #expect(await !crowd[3].value)
        let other = order.stand("other", at: turnstile)
        #expect(await !crowd[2].value)
        // Now there are two of the crowd and two others: whoever comes next would be one of the most.
        #expect(await !turnstile.enter(from: "crowd"))
        turnstile.leave()
        for task in [one, other, crowd[0], crowd[1]] { #expect(await task.value) }
        let entered = order.entered.withLock { $0 }
        #expect(entered.first == "crowd" && entered.dropFirst().first != "crowd" && entered.count == 4)
    }
}
