public import Vault

/// Why a shared vault cannot be opened. Later failures are `VaultError`s.
public enum PostgresStoreError: Error, Sendable, Equatable {
    /// The server cannot be reached, or does not let us in; in libpq's words. They quote a URL that is
    /// not well-formed: the configuration refuses such a one before.
    case cannotConnect(String)
    /// The tables cannot be made or read.
    case cannotPrepare(VaultError)
    /// The tables are those of another version of this program.
    case unsupportedVersion(found: Int, expected: Int)
    /// The server may lose what it has acknowledged, and the configuration has not accepted that.
    case notDurable([PostgresRisk])
    /// There is no vault in the database.
    case noVault
    /// The system gives no more threads.
    case noThreads
}

extension PostgresStoreError: CustomStringConvertible {
    /// One line for a start-up message.
    public var description: String {
        switch self {
        case .cannotConnect(let reason): "the database cannot be used: \(reason)"
        case .cannotPrepare(let error): "the vault's tables cannot be used: \(error)"
        case .unsupportedVersion(let found, let expected) where found < expected:
            "the vault has schema version \(found), of an earlier program; `cloakroom serve` upgrades it at its first start"
        case .unsupportedVersion(let found, let expected):
            "the vault has schema version \(found); this program reads version \(expected)"
        case .notDurable(let risks):
            "the database may lose what it has acknowledged (\(risks.map(\.rawValue).joined(separator: ", "))): change its "
                + "settings, or accept that by name in vault.postgres.accept"
        case .noVault: "there is no vault in the database"
        case .noThreads: "the system gives no more threads"
        }
    }
}
