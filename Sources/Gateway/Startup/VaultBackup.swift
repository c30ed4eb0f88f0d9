public import Configuration
import Vault
import VaultSQLite

/// `cloakroom backup`: a copy of the vault, while it is served or not.
public enum VaultBackup {
    /// Copies the vault that the configuration names into `file`, which must not be there yet.
    public static func run(_ configuration: Configuration, to file: String) throws(StartError) {
        guard configuration.vault.postgres == nil else {
            throw StartError("the vault is in a PostgreSQL database: copy it with pg_dump, or as you copy your others")
        }
        let path = configuration.vault.sqlitePath
        guard SQLiteAliasStore.exists(at: path) else { throw StartError("\(path): there is no vault") }
        // Its keys can be read: it is a vault, and the configuration's master key opens it.
        _ = try configuration.vault.key(for: .operations)
        do { try SQLiteVaultFile(path: path).backup(to: file) } catch { throw StartError("\(error)") }
    }
}
