import Sensitive
import Testing
import VaultTesting

@testable import Vault

@Suite struct AliasShapeTests {
    @Test(arguments: [
        ("tok_sandbox_FyUq2QGMG7ByxxCbrqQoMN", true, true), ("tok_live_FyUq2QGMG7ByxxCbrqQoMN_4134", true, true),
        ("5b0b2f0e-7a53-4d8c-9c1b-2f1f4e0c77aa", true, true), ("870", true, false),
        ("9914572840673154134", true, false),
        ("791-31-9999", true, false), ("7K0 Q2 9999", true, false), ("Q4Z81KD06789", true, false),
        ("Z7Kab4a", true, false), ("Z7ab4a", true, false), ("Z7b4a", false, false),
        ("vgs12345678911234567891123456", true, true), ("USD", true, false),
        ("12", false, false), ("usd", false, false), ("abc1234", false, false), ("Ann Li", false, false),
        ("", false, false),
        ("tok_", false, false), ("tok_sandbox_", false, false), ("tok_visa", false, false),
        ("tok_sandbox_a b", false, false),
        ("vgs0234567891123456789112345O", false, false), ("791-31 9999", false, false),
        ("4111 1111 1111 1111", false, false),
        ("5b0b2f0e-7a53-7d8c-9c1b-2f1f4e0c77aa", false, false), ("5b0b2f0e-7a53-4d8c-cc1b-2f1f4e0c77aa", false, false),
        ("5B0B2F0E-7A53-4D8C-9C1B-2F1F4E0C77AA", false, false), ("é12345", false, false),
        (String(repeating: "1", count: 65), false, false),
    ])
    func shapes(text: String, mayBeAlias: Bool, isUnmistakable: Bool) {
        #expect(AliasShape.mayBeAlias(text) == mayBeAlias)
        #expect(AliasShape.isUnmistakable(text) == isUnmistakable)
    }

    /// Whatever a format makes has the shape of an alias.
    @Test(arguments: AliasFormat.allCases)
    func everyFormatIsRecognised(_ format: AliasFormat) async throws {
        let vault = try await memoryVault()
        let values = ["4539600166594134", "219-09-9999", "219 09 9999", "321", "AB-12xy", "Ann Li", "000123456789"]
        for value in values where format.accepts(value) {
            for storage in Storage.allCases {
                let stored = try await vault.create([.value(SensitiveText(value), format: format, storage: storage)])
                let alias = try #require(stored.first?.aliases.first?.alias)
                #expect(AliasShape.mayBeAlias(alias), "\(alias)")
                let found = try await vault.lookUp([alias, "unknown", alias])
                #expect(found.count == 1 && found[alias]?.value.exposed == value)
            }
        }
    }
}
