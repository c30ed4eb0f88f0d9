import Sensitive
public import Vault

/// A vault as an earlier release stored it. `fill` made what is in the fixtures, and will make that of the next format.
public enum StoredVault {
    public static let responseName = [UInt8](repeating: 8, count: 32)

    /// Fills an empty vault under the first master key.
    public static func fill(_ vault: Vault) async throws {
        _ = try await vault.create([
            .new("value 0", .uuid, ["a", "é"]), .new("value 0", .rawUUID), .new("4539600166594134", .fpeSixTFour),
            .new("078-05-1120", .fpeSSNTFour), .new("x\0y \u{1F600}", .uuid),
        ])
        _ = try await vault.create([
            .value(
                SensitiveText("ends"), format: .uuid, classifiers: [], storage: .persistent, expiresAt: 9_000_000_000)
        ])
        // Values under two data keys, and under two fingerprint keys.
        try await vault.rotateKey(fingerprints: true)
        _ = try await vault.create([.new("value 1"), .new("4539600166594134", .uuid)])
        let claim = try await vault.claimResponse(responseName, with: [1], for: 7_000_000_000)
        guard claim != nil else { throw VaultError.unavailable("claimed") }
        try await vault.storeResponse([1, 2, 3], under: responseName, for: 7_000_000_000)
    }

    /// What was stored and the alias that the release of the time gave.
    public struct Stored: Sendable {
        let value: String
        let format: AliasFormat
        let alias: String

        public init(_ value: String, _ format: AliasFormat, _ alias: String) {
            self.value = value
            self.format = format
            self.alias = alias
        }
    }

    /// What is wrong with a vault that `fill` filled: every value is revealed, reused and verified.
    public static func problems(in vault: Vault, _ all: [Stored], auditKey: [UInt8]) async throws -> [String] {
        var problems: [String] = []
        for stored in all {
            guard let found = try? await vault.reveal([stored.alias]).first?.stored else {
                problems.append("\(stored.alias) is not revealed")
                continue
            }
            if found.value.exposed != stored.value { problems.append("\(stored.alias) is another value") }
            if found.classifiers != (stored.value == "value 0" ? ["a", "é"] : []) { problems.append("classifiers") }
            if found.expiresAt != (stored.value == "ends" ? 9_000_000_000 : nil) { problems.append("end") }
            let item = VaultItem.value(
                SensitiveText(stored.value), format: stored.format, classifiers: [], storage: .persistent,
                expiresAt: found.expiresAt)
            if try await vault.alias(item) != stored.alias { problems.append("\(stored.alias) is not reused") }
        }
        if try await vault.response(under: responseName) != [1, 2, 3] { problems.append("the response") }
        if vault.key(for: .audit) != auditKey { problems.append("the key of the audit log") }
        return problems
    }
}
