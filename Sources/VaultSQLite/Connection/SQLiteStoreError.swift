/// Why an embedded vault cannot be opened. What goes wrong later is told as a `VaultError`.
public enum SQLiteStoreError: Error, Sendable, Equatable {
    /// Another process has this vault open.
    case inUse(path: String)
    /// The file is a vault of another version of the schema.
    case unsupportedVersion(found: Int, expected: Int)
    /// The file is an SQLite database, but not a vault.
    case notAVault(path: String)
    /// The file cannot be read as a database: damaged, or something else.
    case damaged(String)
    /// The file cannot be opened, created or written.
    case cannotOpen(String)
    /// A copy cannot be written where it was asked for.
    case cannotCopy(String)
}

extension SQLiteStoreError: CustomStringConvertible {
    /// One line for a start-up message.
    public var description: String {
        switch self {
        case .inUse(let path): "the vault \(path) is in use by another process"
        case .unsupportedVersion(let found, let expected) where found < expected:
            """
            the vault has schema version \(found); this program reads version \(expected): `cloakroom serve` upgrades it at its first start, \
            which cannot be undone (copy its files before)
            """
        case .unsupportedVersion(let found, let expected):
            "the vault has schema version \(found); this program reads version \(expected)"
        case .notAVault(let path): "\(path) is a database, but not a vault"
        case .damaged(let reason): "the vault cannot be read: \(reason)"
        case .cannotOpen(let reason): "the vault cannot be opened: \(reason)"
        case .cannotCopy(let reason): "the copy cannot be written: \(reason)"
        }
    }
}

extension SQLiteStoreError {
    /// As it is told at start.
    init(_ failure: SQLiteFailure) {
        self = failure.isDamage ? .damaged(failure.reason) : .cannotOpen(failure.reason)
    }
}
