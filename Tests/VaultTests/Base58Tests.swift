import Testing

@testable import Vault

@Suite("Base 58")
struct Base58Tests {
    @Test(arguments: [
        (UInt128.max, "YcVfxkQb6JRzqk5kF2tNLv"), (0, "1111111111111111"), (57, "111111111111111z"),
        (58, "11111111111111121"), (UInt128(58) * 58, "111111111111112" + "11"),
    ])
    func encoding(number: UInt128, text: String) {
        #expect(String(decoding: Base58.encode(number), as: UTF8.self) == text)
    }
}
