@testable import Vault

extension AliasFormat {
    /// How many different aliases this format can give to `value`, an alias never being the value itself; as many
    /// as the reference's table says for what is kept of it. `nil` if the format does not accept the value.
    func space(for value: String) -> Double? {
        guard accepts(value) else { return nil }
        guard let space = AliasSpace(self, value: value) else {
            return self == .rawUUID ? 0x1p122 : self == .vgsFixedLenGeneric ? 7.055e45 : 0x1p128
        }
        let bytes = Array(value.utf8)
        return space.size - (space.contains(bytes) ? 1 : 0)
    }
}

extension AliasSpace {
    /// Whether `text` could be drawn from this space.
    func contains(_ text: [UInt8]) -> Bool {
        guard text.count == template.count else { return false }
        var solved = text
        solve(&solved)
        let isSpelled = free.allSatisfy {
            ASCII.isDigit(text[$0]) || alphabet == .alphanumerics && text[$0] &- 0x41 < 26
        }
        let isKept = zip(template, text).allSatisfy { kept, byte in kept == 0 || kept == byte }
        return isSpelled && isKept && solved == text && meetsCondition(text)
    }
}
