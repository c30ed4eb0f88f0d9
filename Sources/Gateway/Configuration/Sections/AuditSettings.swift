import FormSchema

/// The `audit` part: where it is recorded what was done with values and keys.
public struct AuditSettings: Sendable {
    /// Path of the log; nil for one beside the vault's database: `vault.audit.log` for `vault.db`.
    public var file: String?
    /// A file that has grown to this many bytes is set aside.
    public var maxBytes = 64 << 20
}

extension AuditSettings {
    /// Where the log of a vault is kept that nobody named one for.
    func path(besides vault: VaultSettings) -> String {
        if let file { return file }
        let database = vault.sqlitePath
        return (database.hasSuffix(".db") ? String(database.dropLast(3)) : database) + ".audit.log"
    }
}

extension ConfigurationScope {
    /// Where nothing is there yet, a log under the vault's or the key's own name would be begun, and the vault never opened.
    func demandOwnFile(of audit: AuditSettings, besides vault: VaultSettings, mistake: (String) -> Void) {
        let file = audit.path(besides: vault)
        if FilePath.isSame(file, vault.sqlitePath) { mistake("\(file): is the vault's database") }
        if case .file(let key, _) = vault.masterKey, FilePath.isSame(file, key) {
            mistake("\(file): is the file of the master key")
        }
    }

    func audit(_ reader: DocumentReader) -> AuditSettings {
        var audit = AuditSettings()
        guard let map = reader.map(keys: ["file", "maxBytes"]) else { return audit }
        if let reader = map["file"], let file = path(reader) {
            audit.file = file
            // What is no log of ours is somebody else's file, which lines would spoil.
            let isUnusable = FilePath.isFolder(file) || FilePath.isSpecial(file)
            if isUnusable || FilePath.isReadable(file) && !AuditFiles.isLog(file) {
                reader.mistake("\(file): is there, and is no audit log")
            }
        }
        if let bytes = map["maxBytes"]?.byteCount(in: 1_024...(1 << 40)) { audit.maxBytes = bytes }
        return audit
    }
}
