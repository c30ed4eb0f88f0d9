import Testing

@testable import Gateway

/// How far a long command is: when it says so, and how.
@Suite struct ProgressTests {
    @Test func nothingIsSaidAtFirst() {
        var progress = Progress("rewrap", every: 10, at: 100)
        #expect(progress.line(1, of: 10, at: 101.9) == nil)
        #expect(progress.line(2, of: 10, at: 102) == "rewrap: 20%, 8 s left")
        #expect(progress.line(3, of: 10, at: 111.9) == nil)
        #expect(progress.line(5, of: 10, at: 112) == "rewrap: 50%, 12 s left")
    }

    @Test(arguments: [
        (1, 1_000, "p: 0%, 2 h 46 min left"), (0, 10, "p: 0%"), (11, 10, "p: 100%, 0 s left"),
        (10, 10, "p: 100%, 0 s left"),
        (1, 20, "p: 5%, 3 min left"), (1, 2_000, "p: 0%, 5 h 33 min left"), (1, .max, "p: 0%, 833333 h 20 min left"),
    ])
    func texts(_ done: Int, _ total: Int, _ text: String) {
        var progress = Progress("p", every: 1, at: 0)
        #expect(progress.line(done, of: total, at: 10) == text)
    }

    @Test func aTotalThatIsNotKnownSaysNothing() {
        var progress = Progress("p", every: 1, at: 0)
        #expect(progress.line(5, of: 0, at: 10) == nil)
    }
}
