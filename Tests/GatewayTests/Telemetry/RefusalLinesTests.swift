import Testing

@testable import Gateway

@Suite struct RefusalLinesTests {
    /// One line a minute, however many are refused, and each says how many had none.
    @Test func oneLineAMinute() {
        var lines = RefusalLines()
        var logged: [(second: Int64, left: Int)] = []
        // A thousand a second for three minutes and a half.
        for millisecond in 0..<Int64(210_000) {
            guard let left = lines.count("full", at: 7_000_000 + millisecond * 1_000) else { continue }
            logged.append((millisecond, left))
        }
        #expect(logged.map(\.second) == [0, 60_000, 120_000, 180_000])
        #expect(logged.map(\.left) == [0, 59_999, 59_999, 59_999])
        // After a pause, those that were left out before it are still told.
        #expect(lines.count("full", at: 7_000_000_000) == 29_999)
        #expect(lines.count("full", at: 7_000_000_000 + 120_000_000) == 0)
    }

    /// Another kind of refusal has its own line.
    @Test func eachTextForItself() {
        var lines = RefusalLines()
        #expect(lines.count("one", at: 0) == 0)
        #expect(lines.count("other", at: 1) == 0)
        #expect(lines.count("one", at: 59_999_999) == nil)
        #expect(lines.count("one", at: 60_000_000) == 1)
        #expect(lines.count("other", at: 60_000_000) == nil)
        #expect(lines.count("other", at: 60_000_001) == 1)
    }
}
