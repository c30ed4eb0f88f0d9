import Sensitive
public import Vault

/// A key that differs with its number.
public func masterKey(_ number: UInt8 = 1) throws -> MasterKey {
    try MasterKey(bytes: (0..<32).map { $0 &+ number })
}

/// A vault under the first of these keys.
public func openVault(
    _ store: any AliasStore, _ change: (inout VaultConfiguration) -> Void = { _ in }
) async throws -> Vault {
    var configuration = VaultConfiguration()
    change(&configuration)
    return try await Vault.open(configuration, masterKey: masterKey(), store: store)
}

extension VaultItem {
    /// A value to be stored.
    public static func new(
        _ value: String, _ format: AliasFormat = .uuid, _ classifiers: [String] = [], _ storage: Storage = .persistent
    ) -> VaultItem {
        .value(SensitiveText(value), format: format, classifiers: classifiers, storage: storage)
    }
}

extension Vault {
    /// The alias made for one item.
    public func alias(_ item: VaultItem) async throws -> String { try await create([item])[0].aliases[0].alias }

    /// Erases the volatile values that carry a classifier.
    public func eraseVolatile(classifier: String) async throws(VaultError) -> Erasure {
        try await beginErasure(classifier: classifier, storage: .volatile, requestID: "r1", credential: "dev")
    }

    /// The value behind an alias, if there is one.
    public func value(_ alias: String) async -> String? { try? await reveal([alias]).first?.stored.value.exposed }
}

extension VaultClock {
    /// One that stands still, for a vault that goes by a server's clock.
    public static let still = VaultClock(unixSeconds: system.unixSeconds, elapsedMilliseconds: { 0 })

    /// This clock as one that was set by so many seconds.
    public func ahead(by seconds: Int64) -> VaultClock {
        let unixSeconds = unixSeconds
        return VaultClock(unixSeconds: { unixSeconds() + seconds }, elapsedMilliseconds: elapsedMilliseconds)
    }
}
