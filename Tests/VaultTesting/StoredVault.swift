import Sensitive
public import Vault

/// What the vaults hold that an earlier release has stored: `fill` made them, and is kept so that the next format's can be made.
public enum StoredVault {
    public static let responseName = [UInt8](repeating: 8, count: 32)

    /// Fills an empty vault under the first master key and prints the aliases.
    public static func fill(_ vault: Vault) async throws {
        _ = try await vault.create([
            .new("value 0", .uuid, ["a", "é"]), .new("value 0", .rawUUID), .new("4539600166594134", .fpeSixTFour),
            .new("078-05-1120", .fpeSSNTFour), .new("x\0y \u{1F600}", .uuid),
        ])
        _ = try await vault.create([
            .value(SensitiveText("ends"), format: .uuid, classifiers: [], storage: .persistent, expiresAt: 9_000_000_000)
        ])
        // Values under two data keys, and under two fingerprint keys.
        try await vault.rotateKey(fingerprints: true)
        _ = try await vault.create([.new("value 1"), .new("4539600166594134", .uuid)])
        let claim = try await vault.claimResponse(responseName, with: [1], for: 7_000_000_000) { _ in false }
        guard claim != nil else { throw VaultError.unavailable("claimed") }
        try await vault.storeResponse([1, 2, 3], orAtLeast: [9], under: responseName, for: 7_000_000_000)
        try await vault.anchorAudit(sequence: 42, code: Array("code".utf8))
        for value in ["value 0", "4539600166594134", "078-05-1120", "x\0y \u{1F600}", "ends", "value 1"] {
            let formats: [AliasFormat] =
                switch value {
                case "value 0": [.uuid, .rawUUID]
                case "4539600166594134": [.fpeSixTFour, .uuid]
                case "078-05-1120": [.fpeSSNTFour]
                default: [.uuid]
                }
            for format in formats {
                let item = VaultItem.value(
                    SensitiveText(value), format: format, classifiers: [], storage: .persistent,
                    expiresAt: value == "ends" ? 9_000_000_000 : nil)
                print("(\(value.debugDescription), .\(format), \(try await vault.alias(item).debugDescription)),")
            }
        }
        print("audit key", vault.key(for: .audit))
    }
}
