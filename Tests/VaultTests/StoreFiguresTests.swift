import Testing

@testable import Vault

/// What a store tells of itself.
@Suite struct StoreFiguresTests {
    private let full = VaultError.unavailable("full")
    private let gone = VaultError.unavailable("gone")

    /// A failure that meets some requests stays until all that requests do has gone well, whatever else goes well or fails meanwhile.
    @Test func lastingFailures() {
        let figures = StoreFigures()
        figures.note(gone)
        figures.note(nil)
        #expect(figures.failure == nil)
        figures.note(full, isLasting: true)
        figures.note(nil)
        #expect(figures.failure == full)
        figures.note(gone)
        figures.note(nil)
        #expect(figures.failure == gone)
        figures.noteRecovery()
        #expect(figures.failure == nil)
        figures.note(gone)
        figures.note(nil)
        #expect(figures.failure == nil)
    }

    /// The time of commits rises at once and falls slowly.
    @Test func commitTime() {
        let figures = StoreFigures()
        figures.note(commit: .milliseconds(80))
        #expect(figures.commitTime == .milliseconds(80))
        figures.note(commit: .zero)
        #expect(figures.commitTime == .milliseconds(70))
        figures.note(commit: .milliseconds(90))
        #expect(figures.commitTime == .milliseconds(90))
    }
}
