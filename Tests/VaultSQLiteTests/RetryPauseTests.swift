import Testing

@testable import VaultSQLite

@Suite struct RetryPauseTests {
    @Test func pausesGrowUntilItSucceeds() {
        var pause = RetryPause()
        var now = ContinuousClock.now
        #expect(pause.rest(at: now) == .zero)
        for seconds in [1, 2, 4, 8, 8] {
            pause.failed(at: now)
            #expect(pause.rest(at: now) == .seconds(seconds))
            #expect(pause.rest(at: now + .milliseconds(seconds * 1_000 - 1)) == .milliseconds(1))
            now += .seconds(seconds)
            #expect(pause.rest(at: now) == .zero)
        }
        pause.failed(at: now)
        pause.succeeded()
        #expect(pause.rest(at: now) == .zero)
        pause.failed(at: now)
        #expect(pause.rest(at: now) == .seconds(1))
    }
}
