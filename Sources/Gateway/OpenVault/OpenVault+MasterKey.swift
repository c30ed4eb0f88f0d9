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
            self = try MasterKey(text: text)
        }
    }
}

extension VaultSettings {
    /// One of the vault's root keys, without opening it: another process may be serving it.
    func key(for use: RootKey) throws(StartError) -> [UInt8] {
        let stored: (vaultID: [UInt8], keys: [KeyRecord])
        if let postgres {
            do { stored = try PostgresAliasStore.keys(PostgresStoreConfiguration(postgres)) } catch {
                throw StartError("vault.postgres: \(error)")
            }
        } else {
            do { stored = try SQLiteVaultFile(path: sqlitePath).keys() } catch {
                throw StartError("vault.sqlite: \(error)")
            }
        }
        do {
            let master = try MasterKey(masterKey, generates: false)
            return try use.bytes(vaultID: stored.vaultID, keys: stored.keys, masterKey: master)
        } catch {
            throw StartError("vault.masterKey: \(error)")
        }
    }
}
