import AuditLog
public import Configuration
import Vault
import VaultSQLite

/// `cloakroom backup`: copies the vault, even while it is served.
public enum VaultBackup {
    /// Copies the vault that the configuration names into `file`, which must not be there yet.
    /// The copy is recorded in the audit log before it gets its name: one that cannot be recorded is not kept.
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
        guard !AuditFiles.isFile(file, of: configuration.audit.path(beside: configuration.vault)) else {
            throw StartError("the copy cannot be written: \(file): is a name of the audit log's files")
        }
        // Checks that the file is a vault, and that the configured master key opens it.
        _ = try configuration.vault.key(for: .operations)
        do {
            let copy = try SQLiteVaultFile(path: path).unnamedCopy(for: file, report)
            do { try await record(isDone: true, configuration) } catch {
                throw StartError("the copy is not kept, because it cannot be recorded: \(error)")
            }
            try copy.name()
        } catch let error as SQLiteStoreError {
            try? await record(isDone: false, configuration)
            throw StartError("\(error)")
        } catch let error as StartError {
            throw error
        } catch { throw StartError("\(error)") }
    }

    private static func record(isDone: Bool, _ configuration: Configuration) async throws {
        try await VaultMaintenance.use(configuration) { try await $0.recordBackup(isDone: isDone) }
    }
}
