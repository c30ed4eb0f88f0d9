import Glibc
import Vault
import VaultPostgres
import VaultSQLite

extension OpenVault {
    /// The master key, as the configuration says. It is made up only where there is no vault yet.
    static func masterKey(_ settings: VaultSettings, generating: Bool = true) throws(VaultError) -> MasterKey {
        switch settings.masterKey {
        case .file(let path, let generate):
            let generates = generating && generate && !SQLiteAliasStore.exists(at: settings.sqlitePath)
            return try MasterKey(file: path, generate: generates)
        case .environment(let variable):
            guard let value = getenv(variable), let text = String(validatingCString: value) else {
                throw .unusableMasterKey("the environment has no variable \(variable)")
            }
            return try MasterKey(text: text)
        }
    }
}

extension VaultSettings {
    /// One of the vault's root keys, without opening it: another process may be serving it.
    func key(for use: RootKey) throws(StartError) -> [UInt8] {
        let stored: (vaultID: [UInt8], keys: [KeyRecord])
        if let postgres {
            do { stored = try PostgresAliasStore.keys(postgres.configuration) } catch {
                throw StartError("vault.postgres: \(error)")
            }
        } else {
            do { stored = try SQLiteVaultFile(path: sqlitePath).keys() } catch {
                throw StartError("vault.sqlite: \(error)")
            }
        }
        do {
            let master = try OpenVault.masterKey(self, generating: false)
            return try use.bytes(vaultID: stored.vaultID, keys: stored.keys, masterKey: master)
        } catch {
            throw StartError("vault.masterKey: \(error)")
        }
    }
}
