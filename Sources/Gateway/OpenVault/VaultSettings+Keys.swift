import AuditLog
import Configuration
import Glibc
import Vault
import VaultPostgres
import VaultSQLite

extension MasterKey {
    /// The master key, as the configuration says.
    ///
    /// - Parameter generates: whether a file that is not there may be made: only where there is no vault yet.
    init(_ source: MasterKeySource, generates: Bool) throws(VaultError) {
        switch source {
        case .file(let path, let generate): self = try MasterKey(file: path, generate: generate && generates)
        case .environment(let variable):
            guard let value = getenv(variable), let text = String(validatingCString: value) else {
                throw .unusableMasterKey("the environment has no variable \(variable)")
            }
            do { self = try MasterKey(text: text) } catch .unusableMasterKey(let reason) {
                throw .unusableMasterKey("the variable \(variable): \(reason)")
            }
        }
    }
}

extension VaultSettings {
    private typealias Stored = (vaultID: [UInt8], keys: [KeyRecord], anchor: AuditAnchor?)

    /// What the store holds of a vault that is not opened.
    ///
    /// - Parameter log: number of the audit log.
    private func stored(_ log: Int64) throws(StartError) -> Stored {
        if let postgres {
            do { return try PostgresAliasStore.keys(PostgresStoreConfiguration(postgres), anchorOf: log) } catch {
                throw StartError("vault.postgres: \(error)")
            }
        }
        guard SQLiteAliasStore.exists(at: sqlitePath) else { throw StartError("there is no vault at \(sqlitePath)") }
        do { return try SQLiteVaultFile(path: sqlitePath).keys(anchorOf: log) } catch {
            throw StartError("vault.sqlite: \(error)")
        }
    }

    /// The key of the audit log at `path`, and where the vault knows the log to stand, without opening the vault.
    func auditKey(logAt path: String) throws(StartError) -> (key: [UInt8], anchor: AuditPosition?) {
        let stored = try stored(logNumber(path))
        do {
            let master = try MasterKey(masterKey, generates: false)
            let key = try RootKey.audit.bytes(vaultID: stored.vaultID, keys: stored.keys, masterKey: master)
            guard let anchor = stored.anchor else { return (key, nil) }
            try anchor.check(vaultID: stored.vaultID, keys: stored.keys, masterKey: master)
            return (key, AuditPosition(sequence: Int(anchor.sequence), code: anchor.code))
        } catch .damaged {
            throw StartError("audit: what the vault has stored of the end of the audit log was changed")
        } catch {
            throw StartError("vault.masterKey: \(error)")
        }
    }

    /// One of the vault's root keys, without opening it: another process may be serving it.
    func key(for use: RootKey) throws(StartError) -> [UInt8] {
        let stored = try stored(Vault.onlyLog)
        do {
            let master = try MasterKey(masterKey, generates: false)
            return try use.bytes(vaultID: stored.vaultID, keys: stored.keys, masterKey: master)
        } catch {
            throw StartError("vault.masterKey: \(error)")
        }
    }
}
