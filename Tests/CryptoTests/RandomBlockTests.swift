import Testing

@testable import Crypto

@Suite struct RandomBlockTests {
    /// Of 256 bytes those past the last whole multiple of the bound are thrown away: no number is likelier than another.
    @Test(arguments: [(10, [250, 255, 249, 7], [9, 7]), (26, [234, 233, 0], [25, 0]), (256, [255, 0], [255, 0])])
    func numbersAreEquallyLikely(bound: Int, bytes: [UInt8], numbers: [Int]) throws {
        var block = RandomBlock { memory in
            memory.copyBytes(from: bytes)
            return true
        }
        for number in numbers { #expect(try block.uniform(below: bound) == number) }
    }

    @Test func withoutRandomnessThereIsNone() {
        var block = RandomBlock { _ in false }
        #expect(throws: CryptoError.self) { try block.byte() }
    }
}
