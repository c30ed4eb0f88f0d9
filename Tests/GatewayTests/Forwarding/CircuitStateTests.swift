import Testing

@testable import Gateway

@Suite struct CircuitStateTests {
    /// The state behind a reference, as `#expect` takes no mutating calls.
    private final class Circuit {
        private var state = CircuitState(limit: 3, openTime: 1_000)

        var isCalm: Bool { state.isCalm }
        var isOpen: Bool { state.isOpen }
        func admit(at now: Int64) -> CircuitState.Admission { state.admit(at: now) }
        func wait(at now: Int64) -> Int64? { state.wait(at: now) }
        func succeeded(_ admission: CircuitState.Admission) { state.succeeded(admission) }
        func failed(_ admission: CircuitState.Admission, at now: Int64) -> Bool { state.failed(admission, at: now) }
        func abandoned(_ admission: CircuitState.Admission) { state.abandoned(admission) }
    }

    private func rested(at now: Int64 = 100) -> Circuit {
        let state = Circuit()
        for _ in 0..<3 { _ = state.failed(.pass, at: now) }
        return state
    }

    @Test func restsAfterSoManyFailuresInARow() {
        let state = Circuit()
        #expect(!state.failed(.pass, at: 0))
        #expect(!state.failed(.pass, at: 0))
        state.succeeded(.pass)
        #expect(state.isCalm)
        #expect(!state.failed(.pass, at: 1))
        #expect(!state.failed(.pass, at: 2))
        #expect(state.admit(at: 2) == .pass)
        #expect(state.failed(.pass, at: 3))
        #expect(state.isOpen)
        #expect(state.admit(at: 4) == .refused(wait: 999))
        #expect(state.admit(at: 1_002) == .refused(wait: 1))
    }

    @Test func letsOneProbeThroughAfterTheRest() {
        let state = rested()
        #expect(state.wait(at: 1_099) == 1)
        #expect(state.wait(at: 1_100) == nil)
        #expect(state.admit(at: 1_100) == .probe)
        #expect(state.wait(at: 1_100) == 1)
        #expect(state.admit(at: 1_100) == .refused(wait: 1))
        #expect(state.admit(at: 9_999) == .refused(wait: 1))
    }

    @Test func aGoodProbeEndsTheRest() {
        let state = rested()
        let probe = state.admit(at: 1_100)
        state.succeeded(probe)
        #expect(state.isCalm)
        #expect(state.admit(at: 1_101) == .pass)
        #expect(!state.failed(.pass, at: 1_102))
    }

    @Test func aBadProbeBeginsAnotherRest() {
        let state = rested()
        let probe = state.admit(at: 1_100)
        #expect(state.failed(probe, at: 1_200))
        #expect(state.admit(at: 1_300) == .refused(wait: 900))
        #expect(state.admit(at: 2_200) == .probe)
    }

    @Test func anAbandonedProbeLeavesItsPlaceToAnother() {
        let state = rested()
        let probe = state.admit(at: 1_100)
        state.abandoned(probe)
        #expect(state.admit(at: 1_100) == .probe)
    }

    @Test func whatWasAskedBeforeTheRestChangesNothing() {
        let state = rested()
        state.succeeded(.pass)
        #expect(state.isOpen)
        #expect(!state.failed(.pass, at: 1_050))
        #expect(state.admit(at: 1_100) == .probe)
        state.abandoned(.pass)
        #expect(state.admit(at: 1_100) == .refused(wait: 1))
    }
}
