import Testing

@testable import Gateway

@Suite struct KeyTableTests {
    /// A key that has expired and is used again has finished twice: when the first time is forgotten, the second is not.
    @Test func aKeyThatFinishedTwice() {
        let table = KeyTable()
        let name: [UInt8] = [1]
        #expect(table.begin(name, [1], now: 0) == .started)
        table.end(name, [1], until: 10)
        #expect(table.begin(name, [1], now: 9) == .finished)
        #expect(table.begin(name, [2], now: 10) == .started)
        table.end(name, [2], until: 1_000)
        for number in 0..<65_535 { table.end([UInt8(number & 0xFF), UInt8(number >> 8), 0], [], until: 1_000) }
        #expect(table.begin(name, [2], now: 20) == .finished)
        #expect(table.begin(name, [3], now: 20) == .other)
        // The oldest goes in the end.
        table.end([9, 9, 9], [], until: 1_000)
        #expect(table.begin(name, [3], now: 20) == .started)
    }
}
