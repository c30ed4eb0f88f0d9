public import Configuration
import Vault
import VaultSQLite

/// `cloakroom backup`: copies the vault, even while it is served.
public enum VaultBackup {
    /// Copies the vault that the configuration names into `file`, which must not be there yet.
    public static func run(_ configuration: Configuration, to file: String) throws(StartError) {
        guard configuration.vault.postgres == nil else {
            throw StartError("the vault is in a PostgreSQL database: copy it with pg_dump")
        }
        let path = configuration.vault.sqlitePath
        guard SQLiteAliasStore.exists(at: path) else { throw StartError("\(path): there is no vault") }
        // Checks that the file is a vault, and that the configured master key opens it.
        _ = try configuration.vault.key(for: .operations)
        do { try SQLiteVaultFile(path: path).backup(to: file) } catch { throw StartError("\(error)") }
    }
}
