import Testing

@testable import Gateway

@Suite struct KeyTableTests {
    /// A key that has expired and is used again has finished twice: when the first time is forgotten, the second is not.
    @Test func aKeyThatFinishedTwice() {
        let table = KeyTable()
        #expect(table.begin(request([1], 1), now: 0) == .started)
        table.end(request([1], 1), until: 10)
        #expect(table.begin(request([1], 1), now: 9) == .finished)
        #expect(table.begin(request([1], 2), now: 10) == .started)
        table.end(request([1], 2), until: 1_000)
        for number in 0..<65_535 { table.end(request([UInt8(number & 0xFF), UInt8(number >> 8), 0], 0), until: 1_000) }
        #expect(table.begin(request([1], 2), now: 20) == .finished)
        #expect(table.begin(request([1], 3), now: 20) == .other)
        // The oldest goes in the end.
        table.end(request([9, 9, 9], 0), until: 1_000)
        #expect(table.begin(request([1], 3), now: 20) == .started)
    }

    private func request(_ name: [UInt8], _ whole: UInt8) -> RequestIdentity {
        RequestIdentity(name: name, whole: [whole], durable: [], earlier: nil)
    }
}
