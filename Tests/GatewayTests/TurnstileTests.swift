import Synchronization
import Testing

@testable import Gateway

@Suite struct TurnstileTests {
    private final class Tally: Sendable {
        let inside = Atomic<Int>(0)
        let most = Atomic<Int>(0)
        let done = Atomic<Int>(0)
    }

    @Test func soManyAtOnceAndTheOthersInTurn() async {
        let turnstile = Turnstile(free: 2, places: 100)
        let tally = Tally()
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    guard await turnstile.enter() else { return }
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
        #expect(await turnstile.enter())
        let waiting = Task { await turnstile.enter() }
        while turnstile.waiting == 0 { await Task.yield() }
        #expect(await !turnstile.enter())
        turnstile.leave()
        #expect(await waiting.value)
        #expect(turnstile.waiting == 0)
        turnstile.leave()
        #expect(await turnstile.enter())
    }
}
