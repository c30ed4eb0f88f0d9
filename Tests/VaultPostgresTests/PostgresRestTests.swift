import Testing

@testable import VaultPostgres

/// When a server that could not be reached is tried again.
@Suite struct PostgresRestTests {
    private let start = ContinuousClock.now

    private func after(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func itLastsASecondOrAsLongAsTheAttempt() {
        let rest = PostgresRest()
        #expect(rest.isOver(at: start))
        rest.noteFailure(since: start, at: after(0.1))
        #expect(!rest.isOver(at: after(1)) && rest.isOver(at: after(1.1)))
        rest.noteFailure(since: after(2), at: after(7))
        #expect(!rest.isOver(at: after(11.9)) && rest.isOver(at: after(12)))
        // An attempt of another thread that failed faster does not shorten it.
        rest.noteFailure(since: after(7), at: after(7.1))
        #expect(!rest.isOver(at: after(11.9)))
    }

    /// One thread's connection proves that the server is back, whatever the others have met.
    @Test func aConnectionEndsIt() {
        let rest = PostgresRest()
        rest.noteFailure(since: start, at: after(10))
        rest.noteSuccess(at: after(11))
        #expect(rest.isOver(at: after(11)))
        // An attempt that began before the server was back.
        rest.noteFailure(since: after(5), at: after(15))
        #expect(rest.isOver(at: after(15)))
        rest.noteFailure(since: after(15), at: after(15.1))
        #expect(!rest.isOver(at: after(16)))
    }
}
