public import FormSchema

/// What a new configuration changes in a running process (docs/reference/access.md section 6). It names keys, never values.
public struct ConfigurationChange: Sendable, Equatable {
    /// Key paths that differ and take effect at once, such as `routes` or `server.rateLimit`.
    public internal(set) var taken: [String] = []
    /// Key paths that differ and take effect only after a restart.
    public internal(set) var needsRestart: [String] = []

    /// Whether nothing differs.
    public var isEmpty: Bool { taken.isEmpty && needsRestart.isEmpty }
}

/// The result of reading a configuration again.
public enum ReloadOutcome: Sendable {
    /// Every change takes effect: the configuration to go on with.
    case taken(Configuration, ConfigurationChange)
    /// Some changes need a restart: the configuration to go on with, in which these keys still have their old values.
    case partlyNeedsRestart(Configuration, ConfigurationChange)
    /// There are mistakes: everything stays as it was.
    case refused([Mistake])
}

extension Configuration {
    /// The outcome of reading the configuration again while this one is in use.
    public func reloading(_ loaded: LoadedConfiguration) -> ReloadOutcome {
        guard let new = loaded.configuration else { return .refused(loaded.mistakes) }
        let change = change(to: new)
        if change.needsRestart.isEmpty { return .taken(new, change) }
        return .partlyNeedsRestart(adopting(new), change)
    }

    /// The keys in which `new` differs.
    public func change(to new: Configuration) -> ConfigurationChange {
        var change = ConfigurationChange()
        for key in ReloadedKey.all where !key.isSame(self, new) {
            if key.needsRestart { change.needsRestart.append(key.path) } else { change.taken.append(key.path) }
        }
        return change
    }

    /// `new`, with the values of this one for the keys that differ and need a restart. The others stay as they are in `new`: what is kept
    /// for one key may be a part of what is taken by another.
    public func adopting(_ new: Configuration) -> Configuration {
        var adopted = new
        for key in ReloadedKey.all where key.needsRestart && !key.isSame(self, new) { key.keep(self, &adopted) }
        return adopted
    }

    /// Whether the authority that signs for clients is another one.
    public func hasOtherClientAuthority(than other: Configuration) -> Bool {
        server.tls?.clientCA != other.server.tls?.clientCA
            || serverHashes.last != other.serverHashes.last
    }

    /// The names of the routes that are as they were, with what their files hold.
    public func routes(sameAs other: Configuration) -> Set<String> {
        let same = routes.filter { route in
            other.routes.contains(route) && hashes(of: route.tls.files) == other.hashes(of: route.tls.files)
        }
        return Set(same.map(\.name))
    }

    /// Notes which key the vault was opened with. At its first start the gateway has made the file since the configuration was read.
    public mutating func noteMasterKey() {
        guard let file = vault.masterKey.file else { return }
        fileHashes[file] = FileContents.hash(of: file)
    }

    /// What the contents of files can change under their names.
    ///
    /// - Parameter kept: whether those of the start count.
    fileprivate func hashes(of paths: [String?], kept: Bool = false) -> [Int?] {
        paths.map { path in path.flatMap { kept ? keptHashes[$0] ?? fileHashes[$0] : fileHashes[$0] } }
    }

    /// Of certificate, key and authority of clients, as they are in use.
    fileprivate var serverHashes: [Int?] {
        keptServerHashes ?? hashes(of: [server.tls?.certificate, server.tls?.key, server.tls?.clientCA])
    }

    fileprivate var issuerFiles: [String?] {
        auth.jwt.map { issuer in if case .file(let path) = issuer.keys { path } else { nil } }
    }

    /// Files of forms in the order of their names: one that was renamed has changed, too.
    fileprivate var formHashes: [Int?] { hashes(of: formFiles.map(\.file)) }
}

extension Route.TLS {
    fileprivate var files: [String?] { [ca, identity?.certificate, identity?.key] }
}

/// A key that may differ between two configurations, and whether a running process can take the new value.
struct ReloadedKey {
    let path: String
    let needsRestart: Bool
    let isSame: (Configuration, Configuration) -> Bool
    /// Puts the first configuration's value into the second.
    let keep: (Configuration, inout Configuration) -> Void

    init<Value: Equatable>(
        _ path: String, needsRestart: Bool = false, _ value: WritableKeyPath<Configuration, Value>,
        files: @escaping (Configuration) -> [String?] = { _ in [] }
    ) {
        self.path = path
        self.needsRestart = needsRestart
        isSame = { old, new in
            old[keyPath: value] == new[keyPath: value]
                && old.hashes(of: files(old), kept: needsRestart) == new.hashes(of: files(new), kept: needsRestart)
        }
        keep = { old, new in
            new[keyPath: value] = old[keyPath: value]
            // The contents that are in use: otherwise the next reload would find nothing that needs a restart.
            for file in files(old).compactMap(\.self) {
                new.keptHashes[file] = old.keptHashes[file] ?? old.fileHashes[file]
            }
        }
    }

    /// A key whose value is not compared by itself.
    init(
        _ path: String, needsRestart: Bool = false, isSame: @escaping (Configuration, Configuration) -> Bool,
        keep: @escaping (Configuration, inout Configuration) -> Void = { _, _ in }
    ) {
        self.path = path
        self.needsRestart = needsRestart
        self.isSame = isSame
        self.keep = keep
    }

    static var all: [ReloadedKey] { listeners + limits + callers + vault + others }

    private static var listeners: [ReloadedKey] {
        [
            ReloadedKey("server.listen", needsRestart: true, \.server.listen),
            ReloadedKey("server.workers", needsRestart: true, \.server.workers),
            ReloadedKey("server.proxyProtocol", needsRestart: true, \.server.proxyProtocol),
            ReloadedKey("admin.listen", needsRestart: true, \.admin),
            // A listener can take another certificate, but not begin or end to speak TLS.
            ReloadedKey(
                "server.tls", needsRestart: true,
                isSame: { ($0.server.tls == nil) == ($1.server.tls == nil) },
                keep: { old, new in
                    new.server.tls = old.server.tls
                    // To be compared with when there is TLS again. The same files may be those of a route, which has taken what they hold now.
                    new.keptServerHashes = old.serverHashes
                }),
            ReloadedKey(
                "server.tls",
                isSame: { old, new in
                    guard old.server.tls != nil, new.server.tls != nil else { return true }
                    return old.server.tls == new.server.tls && old.serverHashes == new.serverHashes
                }),
        ]
    }

    private static var limits: [ReloadedKey] {
        [
            ReloadedKey("server.limits", \.server.limits), ReloadedKey("server.timeouts", \.server.timeouts),
            ReloadedKey("server.rateLimit", \.server.rateLimit),
            ReloadedKey("server.maxWait", needsRestart: true, \.server.maxWait),
            ReloadedKey("server.shutdownDelay", \.server.shutdownDelay),
            ReloadedKey("server.trustedProxies", \.server.trustedProxies),
        ]
    }

    private static var callers: [ReloadedKey] {
        [
            ReloadedKey("credentials", \.credentials), ReloadedKey("auth", \.auth, files: \.issuerFiles),
            ReloadedKey("routes", \.routes, files: { $0.routes.flatMap(\.tls.files) }),
            ReloadedKey(
                "forms",
                isSame: { old, new in
                    old.formsFolder == new.formsFolder && old.formFiles.map(\.file) == new.formFiles.map(\.file)
                        && old.formHashes == new.formHashes
                }),
        ]
    }

    /// The vault is opened once with most of them.
    private static var vault: [ReloadedKey] {
        [
            ReloadedKey("vault.environment", needsRestart: true, \.vault.environment),
            ReloadedKey("vault.sqlite", needsRestart: true, \.vault.sqlitePath),
            ReloadedKey("vault.postgres", needsRestart: true, \.vault.postgres),
            ReloadedKey(
                "vault.remote", needsRestart: true, \.vault.remote, files: { $0.vault.remote?.tls.files ?? [] }),
            ReloadedKey(
                "vault.masterKey", needsRestart: true, \.vault.masterKey, files: { [$0.vault.masterKey.file] }),
            ReloadedKey("vault.volatile.ttl", needsRestart: true, \.vault.volatileTTL),
            ReloadedKey("vault.volatile.maxEntries", needsRestart: true, \.vault.volatileEntries),
            ReloadedKey(
                "vault.volatile.redis", needsRestart: true, \.vault.redis,
                files: { $0.vault.redis?.tls.files ?? [] }),
            ReloadedKey("vault.reuse", needsRestart: true, \.vault.reuse),
            ReloadedKey("vault.aliasFallback", needsRestart: true, \.vault.aliasFallback),
            ReloadedKey("vault.guessing", \.vault.guessing),
            ReloadedKey("vault.idempotency", needsRestart: true, \.vault.idempotency),
            ReloadedKey("vault.maxItems", \.vault.maxItems),
            ReloadedKey("vault.erase.within", needsRestart: true, \.vault.eraseWithin),
        ]
    }

    private static var others: [ReloadedKey] {
        [
            ReloadedKey("audit.file", needsRestart: true, \.audit.file),
            ReloadedKey("audit.maxBytes", needsRestart: true, \.audit.maxBytes),
            ReloadedKey("audit.keep", needsRestart: true, \.audit.keep),
            ReloadedKey("retention", needsRestart: true, \.retention),
            ReloadedKey("log.format", needsRestart: true, \.log.format), ReloadedKey("log.level", \.log.level),
            ReloadedKey("elements.enabled", \.servesElements), ReloadedKey("docs", \.docs),
        ]
    }
}
