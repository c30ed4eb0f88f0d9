public import Configuration
import Vault
import VaultSQLite

/// `cloakroom backup`: copies the vault, even while it is served.
public enum VaultBackup {
    /// Copies the vault that the configuration names into `file`, which must not be there yet.
    /// The copy is recorded in the audit log.
    ///
    /// - Parameter report: called now and then with the bytes that were written and about how many there will be.
    public static func run(
        _ configuration: Configuration, to file: String, _ report: (_ written: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws(StartError) {
        guard configuration.vault.postgres == nil else {
            throw StartError("the vault is in a PostgreSQL database: copy it with pg_dump")
        }
        let path = configuration.vault.sqlitePath
        guard SQLiteAliasStore.exists(at: path) else { throw StartError("\(path): there is no vault") }
        // Checks that the file is a vault, and that the configured master key opens it.
        _ = try configuration.vault.key(for: .operations)
        let failure: StartError?
        do {
            try SQLiteVaultFile(path: path).backup(to: file, report)
            failure = nil
        } catch { failure = StartError("\(error)") }
        do {
            try await VaultMaintenance.use(configuration) { vault in
                try await vault.recordBackup(isDone: failure == nil)
            }
        } catch {
            throw failure ?? StartError("the copy was made, but is not recorded: \(error)")
        }
        if let failure { throw failure }
    }
}
