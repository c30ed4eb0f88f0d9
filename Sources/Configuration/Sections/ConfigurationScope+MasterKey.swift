import FormSchema
import Glibc

extension ConfigurationScope {
    /// `vault.masterKey`.
    ///
    /// - Parameters:
    ///   - vault: what is known of the vault so far.
    ///   - isGenerated: whether `generate` is true where it is not given.
    func masterKey(
        _ reader: DocumentReader, beside vault: VaultSettings, isGenerated: Bool
    ) -> MasterKeySource? {
        if case .text = reader.node.content {
            reader.mistake("a master key never stands in the configuration: give {file: …} or {env: …}")
            return nil
        }
        guard let map = reader.map(keys: ["file", "env", "generate"], showsOthers: false) else { return nil }
        let generate = map["generate"]?.bool() ?? isGenerated
        switch (map["file"], map["env"]) {
        case (let file?, nil):
            guard let path = generate ? path(file) : existingFile(file) else { return nil }
            let key = MasterKeySource.file(path: path, generate: generate)
            requireUsable(key, beside: vault, mistake: file.mistake)
            return key
        case (nil, let variable?):
            if map["generate"] != nil { reader.mistake("only a file can be generated") }
            guard let name = variable.text() else { return nil }
            guard !opensFiles || getenv(name) != nil else {
                variable.mistake(Self.missingVariable)
                return nil
            }
            let key = MasterKeySource.environment(variable: name)
            requireUsable(key, beside: vault, mistake: variable.mistake)
            return key
        case (nil, nil):
            let key = MasterKeySource.file(path: defaultPath(VaultSettings.defaultMasterKey), generate: generate)
            requireUsable(key, beside: vault, mistake: reader.mistake)
            return key
        case (_?, _?):
            reader.mistake("give only one of file and env")
            return nil
        }
    }

    /// Reads the key as `serve` will read it, unless `serve` will make it. Only whether it is the vault's own shows when the
    /// vault is opened.
    func requireUsable(
        _ key: MasterKeySource, beside vault: VaultSettings, mistake: (String) -> Void
    ) {
        guard opensFiles else { return }
        if case .file(let path, _) = key,
            dependencies.vault.databaseSuffixes.contains(where: { FilePath.isSame(path, vault.sqlitePath + $0) })
        {
            return mistake("\(path): is the vault's database, or beside it")
        }
        if case .file(let path, true) = key, !FilePath.exists(path), !dependencies.vault.exists(vault.sqlitePath) {
            return
        }
        if let fault = dependencies.vault.masterKeyFault(key) { return mistake(fault) }
        if let file = key.file { noteFile(file) }
    }
}
