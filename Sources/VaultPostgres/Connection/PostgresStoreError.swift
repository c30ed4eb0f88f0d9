public import Vault

/// Why a shared vault cannot be opened. What goes wrong later is told as a `VaultError`.
public enum PostgresStoreError: Error, Sendable, Equatable {
    /// The server cannot be reached, or does not let us in; in libpq's words. They quote a URL that is
    /// not well-formed: the configuration refuses such a one before.
    case cannotConnect(String)
    /// The tables cannot be made or read.
    case cannotPrepare(VaultError)
    /// The tables are those of another version of this program.
    case unsupportedVersion(found: Int, expected: Int)
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
        case .unsupportedVersion(let found, let expected):
            "the vault has schema version \(found); this program reads version \(expected)"
        case .noVault: "there is no vault in the database"
        case .noThreads: "the system gives no more threads"
        }
    }
}
