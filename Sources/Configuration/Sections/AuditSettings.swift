import FormSchema

/// The `audit` section: where the record of what was done with values and keys is kept.
public struct AuditSettings: Sendable {
    /// Path of the log; nil for one beside the vault's database: `vault.audit.log` for `vault.db`.
    public var file: String?
    /// A file that has grown to this many bytes is set aside.
    public var maxBytes = 64 << 20
    /// How much of the log is kept; nil for all of it.
    public var keep: Keep?

    /// How much of the log is kept.
    public enum Keep: Sendable, Equatable {
        /// Files whose last line is not older.
        case age(Duration)
        /// So many bytes of all files.
        case size(Int)
    }
}

extension AuditSettings {
    /// Path of the log: the one that is configured, or the default beside the vault's database.
    public func path(beside vault: VaultSettings) -> String {
        if let file { return file }
        let database = vault.sqlitePath
        return (database.hasSuffix(".db") ? String(database.dropLast(3)) : database) + ".audit.log"
    }
}

extension ConfigurationScope {
    /// Refuses a log with the name of one of the vault's files: it would be written first, and the vault could not be opened, or
    /// would be destroyed.
    func requireOwnFile(of audit: AuditSettings, beside vault: VaultSettings, mistake: (String) -> Void) {
        let file = audit.path(beside: vault)
        let database = dependencies.vault.databaseSuffixes.map { vault.sqlitePath + $0 }
        for own in [file, file + ".head"] {
            if database.contains(where: { FilePath.isSame(own, $0) }) {
                mistake("\(own): is the vault's database, or beside it")
            }
            if case .file(let key, _) = vault.masterKey, FilePath.isSame(own, key) {
                mistake("\(own): is the file of the master key")
            }
        }
    }

    func audit(_ reader: DocumentReader) -> AuditSettings {
        var audit = AuditSettings()
        guard let map = reader.map(keys: ["file", "maxBytes", "keep"]) else { return audit }
        if let reader = map["file"], let file = path(reader) {
            audit.file = file
            // Lines appended to another program's file would damage it.
            let isUnusable = FilePath.isFolder(file) || FilePath.isSpecial(file)
            if isUnusable || FilePath.isReadable(file) && !dependencies.isAuditLog(file) {
                reader.mistake("\(file): is there, and is no audit log")
            }
        }
        if let bytes = map["maxBytes"]?.byteCount(in: 1_024...(1 << 40)) { audit.maxBytes = bytes }
        if let reader = map["keep"] { audit.keep = keep(reader, fileBytes: audit.maxBytes) }
        return audit
    }

    /// A span of time such as `365d`, or an amount of bytes such as `10GiB`.
    private func keep(_ reader: DocumentReader, fileBytes: Int) -> AuditSettings.Keep? {
        guard case .text(let text) = reader.node.content, text.hasSuffix("B") || TimeSpan.isSpan(text) else {
            reader.mistake("expected an age such as 365d or a size such as 10GiB, with its unit")
            return nil
        }
        if text.hasSuffix("B") {
            guard let bytes = reader.byteCount(in: 1_024...(1 << 50)) else { return nil }
            if bytes < 2 * fileBytes {
                reader.mistake(
                    "only whole files are removed: must be at least twice audit.maxBytes (\(fileBytes) bytes)")
            }
            return .size(bytes)
        }
        return reader.timeSpan(in: .seconds(3_600)...Duration.seconds(36_500 * 86_400)).map(AuditSettings.Keep.age)
    }
}
