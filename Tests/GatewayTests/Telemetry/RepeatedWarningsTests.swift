import Testing

@testable import Gateway

@Suite struct RepeatedWarningsTests {
    /// One line a minute, however many warnings there are, and each says how many had none.
    @Test func oneLineAMinute() {
        var warnings = RepeatedWarnings()
        var logged: [(second: Int64, left: Int)] = []
        // A thousand a second for three minutes and a half.
        for millisecond in 0..<Int64(210_000) {
            guard let left = warnings.count("full", at: 7_000_000 + millisecond * 1_000) else { continue }
            logged.append((millisecond, left))
        }
        #expect(logged.map(\.second) == [0, 60_000, 120_000, 180_000])
        #expect(logged.map(\.left) == [0, 59_999, 59_999, 59_999])
        // After a pause, those that were left out before it are still told.
        #expect(warnings.count("full", at: 7_000_000_000) == 29_999)
        #expect(warnings.count("full", at: 7_000_000_000 + 120_000_000) == 0)
    }

    /// Another warning has its own line.
    @Test func eachTextForItself() {
        var warnings = RepeatedWarnings()
        #expect(warnings.count("one", at: 0) == 0)
        #expect(warnings.count("other", at: 1) == 0)
        #expect(warnings.count("one", at: 59_999_999) == nil)
        #expect(warnings.count("one", at: 60_000_000) == 1)
        #expect(warnings.count("other", at: 60_000_000) == nil)
        #expect(warnings.count("other", at: 60_000_001) == 1)
    }
}
