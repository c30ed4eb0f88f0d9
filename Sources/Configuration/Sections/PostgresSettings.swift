import FormSchema
public import Sensitive

/// `vault.postgres`: the database that several processes share.
public struct PostgresSettings: Sendable, Equatable {
    /// `postgresql://user:password@host:port/database?sslmode=verify-full…`.
    public let url: SensitiveText
    /// Connections of this process.
    public var connections = 4
    /// How long a pooler that stands between keeps a session for a connection of this process.
    public enum Pooler: String, Sendable, CaseIterable {
        /// As long as the connection: like no pooler.
        case session
        /// For each transaction: nothing may be prepared or set for a session.
        case transaction
    }
    /// How a pooler hands out sessions.
    public var pooler = Pooler.session
    /// Ways to lose what was acknowledged that a live vault may be exposed to.
    public var accepted: Set<PostgresRisk> = []

    /// Whether both are the same database, opened the same way.
    public static func == (left: PostgresSettings, right: PostgresSettings) -> Bool {
        left.url.exposed == right.url.exposed && left.connections == right.connections
            && left.accepted == right.accepted && left.pooler == right.pooler
    }
}

/// Settings of a PostgreSQL server under which a crash may lose what was acknowledged.
public enum PostgresRisk: String, CaseIterable, Sendable {
    /// `fsync = off`.
    case fsyncOff
    /// `full_page_writes = off`.
    case tornPages
    /// A commit returns before it is synced, here or on the synchronous standbys that are named.
    case asynchronousCommit
}

extension ConfigurationScope {
    func postgres(_ reader: DocumentReader) -> PostgresSettings? {
        guard let map = reader.map(keys: ["url", "pool", "pooler", "accept"]) else { return nil }
        let connections = map["pool"]?.int(in: 2...256)
        let pooler = map["pooler"]?.choice(PostgresSettings.Pooler.self)
        guard let url = map.required("url").flatMap(databaseURL) else { return nil }
        let accepted = map["accept"]?.list()?.compactMap { $0.choice(PostgresRisk.self) } ?? []
        return PostgresSettings(
            url: url, connections: connections ?? 4, pooler: pooler ?? .session, accepted: Set(accepted))
    }

    /// Inline, from a file or from the environment. A URL with a password is treated as a secret.
    private func databaseURL(_ reader: DocumentReader) -> SensitiveText? {
        let url: SensitiveText?
        if case .text(let text) = reader.node.content, !Self.holdsPassword(text) {
            url = SensitiveText(text)
        } else {
            url = secretText(reader)
        }
        guard let url else { return nil }
        guard ["postgresql://", "postgres://"].contains(where: url.exposed.hasPrefix) else {
            reader.mistake("expected postgresql://user@host:port/database")
            return nil
        }
        // libpq quotes what it cannot read, and takes a part of a password that is not encoded for the host.
        guard Self.isWellFormed(url.exposed) else {
            reader.mistake("not a URL: what is no letter or digit in user, password and values must be percent-encoded")
            return nil
        }
        if let fault = dependencies.vault.databaseFault(url, opensFiles) {
            reader.mistake(fault)
            return nil
        }
        if !dependencies.vault.isDatabaseVerified(url) {
            reader.warning(
                "the database's server is not verified: add sslmode=verify-full and sslrootcert=FILE to the URL")
        }
        return url
    }

    /// What stands between `://` and the path.
    private static func authority(_ url: String) -> Substring {
        url.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" && $0 != "?" }
    }

    private static func holdsPassword(_ url: String) -> Bool {
        let authority = authority(url)
        let user = authority.contains("@") ? authority.prefix { $0 != "@" } : ""
        return user.contains(":") || url.contains("password=")
    }

    /// Whether user and password end where they seem to, and all escapes are whole.
    private static func isWellFormed(_ url: String) -> Bool {
        let signs = url.count { $0 == "@" }
        let escapes = url.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
        return url.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !url.contains("#")
            && signs == authority(url).count { $0 == "@" } && signs <= 1
            && escapes.allSatisfy { $0.count >= 2 && $0.prefix(2).allSatisfy(\.isHexDigit) }
    }
}
