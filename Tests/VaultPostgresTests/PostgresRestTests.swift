import Testing

@testable import VaultPostgres

/// When a server that could not be reached is tried again.
@Suite struct PostgresRestTests {
    private let start = ContinuousClock.now

    private func after(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func itLastsASecondOrAsLongAsTheAttempt() {
        var rest = PostgresRest(PostgresContact())
        #expect(rest.isOver(at: start))
        rest.noteFailure(since: start, at: after(0.1))
        #expect(!rest.isOver(at: after(1)) && rest.isOver(at: after(1.1)))
        rest.noteFailure(since: after(2), at: after(7))
        #expect(!rest.isOver(at: after(11.9)) && rest.isOver(at: after(12)))
        rest.noteSuccess(at: after(12))
        #expect(rest.isOver(at: after(12)))
    }

    /// One thread's connection proves that the server is back; one thread's failure keeps no other from trying.
    @Test func aConnectionOfAnotherEndsIt() {
        let contact = PostgresContact()
        var (one, other) = (PostgresRest(contact), PostgresRest(contact))
        one.noteFailure(since: start, at: after(10))
        #expect(!one.isOver(at: after(11)) && other.isOver(at: after(11)))
        other.noteSuccess(at: after(11))
        #expect(one.isOver(at: after(11)))
        // An attempt that began before the server was back, and one that began later.
        one.noteFailure(since: after(5), at: after(15))
        #expect(one.isOver(at: after(15)))
        one.noteFailure(since: after(15), at: after(15.1))
        #expect(!one.isOver(at: after(16)))
    }
}
