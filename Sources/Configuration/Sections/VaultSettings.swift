import FormSchema

/// The `vault` section: where values are kept and how aliases are made.
public struct VaultSettings: Sendable {
    /// What keeps the values.
    enum Store: String, CaseIterable { case sqlite, postgres, remote }

    /// Part of the aliases of format UUID; `live` demands more of the rest of the configuration.
    public enum Environment: String, Sendable, CaseIterable { case sandbox, live }

    /// What is done with a value that its format refuses, and when a format has run out of aliases.
    public enum AliasFallback: String, Sendable, CaseIterable { case none, uuid }

    /// Part of the aliases of format UUID.
    public var environment = Environment.sandbox
    /// Path of the SQLite database.
    public var sqlitePath = defaultDatabase
    /// The default place of the database, as seen from the configuration's file.
    static let defaultDatabase = ".data/vault.db"
    /// The database in whose place several processes share one; nil if the vault is a file.
    public var postgres: PostgresSettings?
    /// Where the key that wraps all others comes from.
    public var masterKey = MasterKeySource.file(path: defaultMasterKey, generate: true)
    /// The default place of the master key, as seen from the configuration's file.
    static let defaultMasterKey = ".data/master.key"
    /// How long a VOLATILE value lives.
    public var volatileTTL = Duration.seconds(3600)
    /// VOLATILE aliases that may live at once.
    public var volatileEntries = 100_000
    /// Where VOLATILE values live if several processes share them; nil for the memory of each.
    public var redis: RedisSettings?
    /// How many values a caller may try for one pattern of kept digits (docs/reference/access.md section 4).
    public struct Guessing: Sendable, Equatable {
        /// Distinct values in a window.
        public var limit = 20
        /// Length of the window.
        public var window = Duration.seconds(3_600)
    }

    /// Responses that are stored for repeated requests (docs/reference/proxy.md section 8).
    public struct Idempotency: Sendable, Equatable {
        /// How long a key lives.
        public var ttl = Duration.seconds(86_400)
        /// Bytes of all stored responses.
        public var maxBytes = 1 << 30
        /// Keys that may live at once.
        public var maxEntries = 1_000_000
    }

    /// How many values a caller may try.
    public var guessing = Guessing()
    /// What is stored for repeated requests.
    public var idempotency = Idempotency()
    /// Within this time a value that was deleted has left the files of an embedded vault.
    public var eraseWithin = Duration.seconds(5)
    /// Same value and format, same alias.
    public var reuse = true
    /// Items of one request.
    public var maxItems = 20
    /// The vault of another service that makes the aliases; nil if this gateway makes them. Then the database holds no value and
    /// no alias: only keys, and responses that are stored for repeated requests.
    public var remote: RemoteVaultSettings?
    /// What is done with a value that its format refuses.
    public var aliasFallback = AliasFallback.none

    /// Whether VOLATILE values get aliases of formats that have few, or UUIDs instead. Where several processes make such aliases, they do not
    /// know each other's. What a remote vault makes is decided there.
    var makesNarrowVolatiles: Bool { aliasFallback == .uuid || remote != nil || postgres == nil && redis == nil }
}

extension ConfigurationScope {
    func vault(_ reader: DocumentReader) -> VaultSettings {
        var vault = vaultBesideFile()
        let keys = [
            "environment", "store", "sqlite", "postgres", "remote", "masterKey", "volatile", "reuse", "maxItems",
            "aliasFallback", "guessing", "idempotency", "erase",
        ]
        guard let map = reader.map(keys: keys) else { return vault }
        // A misspelt environment may have been meant to be live.
        var isSandbox = map["environment"] == nil
        if let environment = map["environment"]?.choice(VaultSettings.Environment.self) {
            vault.environment = environment
            isSandbox = environment == .sandbox
        }
        let store = map["store"]?.choice(VaultSettings.Store.self) ?? .sqlite
        let remote = (store == .remote ? map.required("remote") : map["remote"]).flatMap(remoteVault)
        if store == .remote { vault.remote = remote }
        if let path = map["sqlite"]?.map(keys: ["path"])?.required("path").flatMap(databasePath) {
            vault.sqlitePath = path
        } else if store != .postgres {
            tellOfFormerDatabase(beside: vault, log: reader.log, line: reader.line)
        }
        let shared = (store == .postgres ? map.required("postgres") : map["postgres"]).flatMap(postgres)
        if store == .postgres { vault.postgres = shared }
        warnOfUnused(map["postgres"], of: .postgres, store)
        warnOfUnused(map["remote"], of: .remote, store)
        readMasterKey(map["masterKey"], in: reader, isSandbox: isSandbox, isShared: store == .postgres, into: &vault)
        if let volatile = map["volatile"]?.map(keys: ["ttl", "maxEntries", "redis"]) {
            let range = Duration.milliseconds(1)...Duration.seconds(366 * 86_400)
            if let ttl = volatile["ttl"]?.timeSpan(in: range) { vault.volatileTTL = ttl }
            if let entries = volatile["maxEntries"]?.int(in: 1...100_000_000) { vault.volatileEntries = entries }
            if let redis = volatile["redis"] { vault.redis = self.redis(redis) }
        }
        if let guessing = map["guessing"] { vault.guessing = self.guessing(guessing) }
        if let idempotency = map["idempotency"] { vault.idempotency = self.idempotency(idempotency) }
        if let erase = map["erase"] {
            if store == .postgres {
                erase.mistake("a PostgreSQL server decides by itself when deleted rows leave its files (VACUUM)")
            }
            let range = Duration.seconds(1)...Duration.seconds(3_600)
            if let within = erase.map(keys: ["within"])?["within"]?.timeSpan(in: range) { vault.eraseWithin = within }
        }
        if let reuse = map["reuse"]?.bool() { vault.reuse = reuse }
        if let items = map["maxItems"]?.int(in: 1...1_000) { vault.maxItems = items }
        if let fallback = map["aliasFallback"]?.choice(VaultSettings.AliasFallback.self) {
            vault.aliasFallback = fallback
        }
        return vault
    }

    /// The defaults, with the places of the vault's files: a path that is left out is relative to the file as one in it is.
    private func vaultBesideFile() -> VaultSettings {
        var vault = VaultSettings()
        vault.sqlitePath = defaultPath(VaultSettings.defaultDatabase)
        vault.masterKey = .file(path: defaultPath(VaultSettings.defaultMasterKey), generate: true)
        return vault
    }

    /// The vault of a configuration without `vault`.
    func defaultVault(_ log: MistakeLog) -> VaultSettings {
        let vault = vaultBesideFile()
        tellOfFormerDatabase(beside: vault, log: log, line: nil)
        requireUsable(vault.masterKey, beside: vault) { log.mistake($0, at: "vault.masterKey", line: nil) }
        return vault
    }

    /// Tells of a vault at the place that was the default before, in the working directory, where there is none at the default place yet:
    /// its aliases would be unknown to the new one. A vault that is live is not begun then.
    private func tellOfFormerDatabase(beside vault: VaultSettings, log: MistakeLog, line: Int?) {
        let former = VaultSettings.defaultDatabase
        guard opensFiles, !dependencies.vault.exists(vault.sqlitePath), dependencies.vault.exists(former) else {
            return
        }
        let message = """
            there is no vault at \(vault.sqlitePath), the default, but one at \(former) in the working directory: move the folder \
            .data beside this file, or give the path
            """
        if vault.environment == .live {
            log.mistake(message, at: "vault.sqlite.path", line: line)
        } else {
            log.warning(message, at: "vault.sqlite.path", line: line)
        }
    }

    /// Values would go elsewhere than the section says.
    private func warnOfUnused(_ section: DocumentReader?, of store: VaultSettings.Store, _ used: VaultSettings.Store) {
        if used != store { section?.warning("has no effect without vault.store: \(store.rawValue)") }
    }

    /// A file, or nothing yet: the first start makes it.
    private func databasePath(_ reader: DocumentReader) -> String? {
        guard let path = path(reader) else { return nil }
        guard opensFiles, FilePath.exists(path), let fault = FilePath.fault(inFile: path) else { return path }
        reader.mistake("\(path): \(fault)")
        return nil
    }

    /// - Parameter isShared: whether several processes use the vault.
    private func readMasterKey(
        _ key: DocumentReader?, in section: DocumentReader, isSandbox: Bool, isShared: Bool,
        into vault: inout VaultSettings
    ) {
        let isGenerated = isSandbox && !isShared
        vault.masterKey = .file(path: defaultPath(VaultSettings.defaultMasterKey), generate: isGenerated)
        guard let key else {
            requireUsable(vault.masterKey, beside: vault) {
                section.log.mistake($0, at: "\(section.path).masterKey", line: section.line)
            }
            return
        }
        if let read = masterKey(key, beside: vault, isGenerated: isGenerated) { vault.masterKey = read }
        guard case .file(_, generate: true) = vault.masterKey else { return }
        if isShared {
            // All processes need the same key: none of them can make it.
            key.mistake("several processes share this vault: give them all the same key, made beforehand")
        } else if !isSandbox {
            key.warning("generate: a live vault's key is better made beforehand, with a copy elsewhere")
        }
    }

    private func guessing(_ reader: DocumentReader) -> VaultSettings.Guessing {
        var guessing = VaultSettings.Guessing()
        guard let map = reader.map(keys: ["limit", "window"]) else { return guessing }
        if let limit = map["limit"]?.int(in: 1...1_000) { guessing.limit = limit }
        if let window = map["window"]?.timeSpan(in: .seconds(1)...Duration.seconds(86_400)) { guessing.window = window }
        return guessing
    }

    private func idempotency(_ reader: DocumentReader) -> VaultSettings.Idempotency {
        var idempotency = VaultSettings.Idempotency()
        guard let map = reader.map(keys: ["ttl", "maxBytes", "maxEntries"]) else { return idempotency }
        let range = Duration.seconds(60)...Duration.seconds(30 * 86_400)
        if let ttl = map["ttl"]?.timeSpan(in: range) { idempotency.ttl = ttl }
        if let bytes = map["maxBytes"]?.byteCount(in: 1 << 20...1 << 40) { idempotency.maxBytes = bytes }
        if let entries = map["maxEntries"]?.int(in: 100...100_000_000) { idempotency.maxEntries = entries }
        return idempotency
    }
}
