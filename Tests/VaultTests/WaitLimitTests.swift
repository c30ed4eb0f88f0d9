import Testing

@testable import Vault

@Suite struct WaitLimitTests {
    /// - Parameters: all in milliseconds, counted back from the request's turn.
    @Test(arguments: [
        // 100 for the batch and 5 for the commit are left of 500.
        (maximum: 500, arrived: 394, posted: 394, commit: 5, isLate: false),
        (maximum: 500, arrived: 396, posted: 396, commit: 5, isLate: true),
        // What has delayed it elsewhere counts, but alone it refuses nothing.
        (maximum: 500, arrived: 396, posted: 150, commit: 5, isLate: true),
        (maximum: 500, arrived: 5_000, posted: 104, commit: 5, isLate: false),
        // Commits of 600 ms: whoever waited for one has a turn.
        (maximum: 500, arrived: 699, posted: 699, commit: 600, isLate: false),
        (maximum: 500, arrived: 701, posted: 701, commit: 600, isLate: true),
        // A short maximum shortens the batches.
        (maximum: 40, arrived: 24, posted: 24, commit: 5, isLate: false),
        (maximum: 40, arrived: 26, posted: 26, commit: 5, isLate: true),
    ])
    func aRequestIsLate(maximum: Int, arrived: Int, posted: Int, commit: Int, isLate: Bool) {
        let now = ContinuousClock.now
        let limit = WaitLimit(since: now - .milliseconds(arrived), maximum: .milliseconds(maximum))
        #expect(
            limit.isLate(at: now, posted: now - .milliseconds(posted), commit: .milliseconds(commit)) == isLate)
    }

    /// A slow commit is known at once, and forgotten slowly.
    @Test func theTimeOfCommits() {
        let figures = StoreFigures()
        figures.note(commit: .milliseconds(8))
        figures.note(commit: .milliseconds(800))
        #expect(figures.commitTime == .milliseconds(800))
        figures.note(commit: .zero)
        #expect(figures.commitTime == .milliseconds(700))
        for _ in 0..<100 { figures.note(commit: .milliseconds(8)) }
        #expect(figures.commitTime < .milliseconds(9))
    }
}
