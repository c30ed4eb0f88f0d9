/// How a field's values are aliased (`docs/reference/vault-api.md` section 7).
final class Tokenization: Sendable {
    let format: String
    let storage: AliasStorage
    let classifiers: [String]
    /// How long the aliases live, in seconds; nil for as long as the storage keeps them (`docs/reference/vault-api.md` section 4).
    let ttl: Int?
    /// Whether the format accepts a value.
    let accepts: @Sendable (String) -> Bool

    init(
        format: String, storage: AliasStorage, classifiers: [String], ttl: Int?,
        accepts: @escaping @Sendable (String) -> Bool
    ) {
        self.format = format
        self.storage = storage
        self.classifiers = classifiers
        self.ttl = ttl
        self.accepts = accepts
    }
}

/// Where a value is kept (`docs/reference/vault-api.md` section 4).
public enum AliasStorage: String, Sendable, CaseIterable {
    case persistent = "PERSISTENT"
    case volatile = "VOLATILE"
}
