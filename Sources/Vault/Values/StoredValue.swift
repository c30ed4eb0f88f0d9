public import Sensitive

/// Where a value lives (`docs/reference/vault-api.md` section 4).
public enum Storage: String, CaseIterable, Sendable {
    /// Sealed on disk, durable before the call returns.
    case persistent = "PERSISTENT"
    /// In memory only, for a limited time.
    case volatile = "VOLATILE"
}

/// One item of a create request (`docs/reference/vault-api.md` section 2).
public enum VaultItem: Sendable {
    /// A value to be stored, or found again where reuse is on, and the format of the alias wanted for it. `expiresAt`, in Unix
    /// seconds, ends its life; of several ends that were given for one value the latest holds, and none at all is later still.
    case value(
        SensitiveText, format: AliasFormat, classifiers: [String] = [], storage: Storage = .persistent,
        expiresAt: Int64? = nil)
    /// An existing alias, whose value is to get one more alias. `storage`, if given, must be the value's own.
    case reference(alias: String, format: AliasFormat, storage: Storage? = nil)
}

/// A stand-in for a value, and the format that it was asked for in.
public struct Alias: Sendable, Hashable {
    /// The alias itself. Not a secret.
    public let alias: String
    /// The format that was asked for, also where the alias has the shape of a UUID because of the fallback.
    public let format: AliasFormat

    /// Pairs an alias with its format.
    public init(alias: String, format: AliasFormat) {
        self.alias = alias
        self.format = format
    }
}

/// A value as the vault returns it.
public struct StoredValue: Sendable {
    /// The value in the clear.
    public let value: SensitiveText
    /// Labels, in the order in which they were first given.
    public let classifiers: [String]
    /// The alias made for a new item; all aliases of the value, oldest first, for a reference or a reveal.
    public let aliases: [Alias]
    /// When the value was first stored: Unix seconds.
    public let createdAt: Int64
    /// From when on its aliases are unknown: Unix seconds; nil if never, or, for a volatile value, if its time to live is
    /// that of the vault.
    public let expiresAt: Int64?
    /// Where the value lives.
    public let storage: Storage
    /// The place among `aliases` of the one that the item asked for; nil for a reveal.
    private(set) var requestedPlace: Int?

    /// The alias that the item asked for: made for it, or known before where reuse is on. Nil for an empty value, which has none, and for
    /// a reveal.
    public var requested: Alias? {
        requestedPlace.flatMap { aliases.indices.contains($0) ? aliases[$0] : nil }
    }

    /// Whether it is unknown some day, without being deleted.
    public var isTemporary: Bool { storage == .volatile || expiresAt != nil }

    /// The same value with some of its labels, for callers who may not see the others.
    public func showing(classifiers: [String]) -> StoredValue {
        StoredValue(
            value: value, classifiers: classifiers, aliases: aliases, createdAt: createdAt, expiresAt: expiresAt,
            storage: storage, requestedPlace: requestedPlace)
    }
}

/// One alias of a reveal with what it stands for.
public struct RevealedAlias: Sendable {
    /// The alias that was asked for.
    public let alias: String
    /// Its value, with all the value's aliases.
    public let stored: StoredValue
}
