import FormSchema
public import Sensitive

/// `vault.postgres`: the database that several processes share.
public struct PostgresSettings: Sendable, Equatable {
    /// `postgresql://user:password@host:port/database?sslmode=verify-full…`.
    public let url: SensitiveText
    /// Connections of this process.
    public var connections = 4

    /// Whether both are the same database, opened the same way.
    public static func == (left: PostgresSettings, right: PostgresSettings) -> Bool {
        left.url.exposed == right.url.exposed && left.connections == right.connections
    }
}

extension ConfigurationScope {
    func postgres(_ reader: DocumentReader) -> PostgresSettings? {
        guard let map = reader.map(keys: ["url", "pool"]) else { return nil }
        let connections = map["pool"]?.int(in: 2...256)
        guard let url = map.required("url").flatMap(databaseURL) else { return nil }
        return PostgresSettings(url: url, connections: connections ?? 4)
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
        if !Self.isVerified(url.exposed) {
            reader.warning("the database's server is not verified: add sslmode=verify-full to the URL")
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

    /// Whether the server must show that it is the one that was meant, or is on this machine.
    private static func isVerified(_ url: String) -> Bool {
        if url.contains("sslmode=verify-full") { return true }
        let authority = authority(url)
        let hosts = authority.drop { authority.contains("@") && $0 != "@" }.drop { $0 == "@" }.split(separator: ",")
        return !url.contains("host=")
            && hosts.allSatisfy { host in
                ["%2F", "%2f", "[::1]"].contains { host.hasPrefix($0) }
                    || ["localhost", "127.0.0.1"].contains(host.prefix { $0 != ":" })
            }
    }
}
