import FormSchema
public import Sensitive

/// `vault.volatile.redis`: the server that keeps the VOLATILE values of several processes.
public struct RedisSettings: Sendable, Equatable {
    /// Name or address; a number of IPv6 without its brackets.
    public let host: String
    /// TCP port.
    public let port: UInt16
    /// Number of the database there.
    public var database = 0
    /// Whether the connection is encrypted and the server verified.
    public let isSecure: Bool
    /// Nil for the server's default user.
    public var username: String?
    /// Nil for a server that asks for none.
    public var password: SensitiveText?
    /// How the server is verified.
    public var tls = Route.TLS()

    /// Whether both are the same server, used in the same way.
    public static func == (left: RedisSettings, right: RedisSettings) -> Bool {
        left.host == right.host && left.port == right.port && left.database == right.database
            && left.isSecure == right.isSecure && left.username == right.username
            && left.password?.exposed == right.password?.exposed && left.tls == right.tls
    }

    /// Reads `redis://user:password@host:port/database`, or `rediss://…` for TLS. Throws what is wrong with it.
    init(url: String) throws(RedisURLFault) {
        isSecure = url.hasPrefix("rediss://")
        guard isSecure || url.hasPrefix("redis://") else { throw .scheme }
        let rest = url.dropFirst(isSecure ? 9 : 8)
        let place = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(place.count)
        let parts = place.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let authority = parts.last, !rest.contains("?"), !rest.contains("#") else {
            throw .shape
        }
        let hasPort = (authority.split(separator: "]", omittingEmptySubsequences: false).last ?? "").contains(":")
        let base: BaseURL
        do { base = try BaseURL("http://\(authority)\(hasPort ? "" : ":6379")") } catch {
            throw error == .port ? .port : .shape
        }
        (host, port) = (base.host, base.port)
        if parts.count == 2 { (username, password) = try Self.credentials(parts[0]) }
        if !path.dropFirst().isEmpty {
            guard let number = Int(path.dropFirst()), (0...1_023).contains(number) else { throw .database }
            database = number
        }
    }

    private static func credentials(_ text: Substring) throws(RedisURLFault) -> (String?, SensitiveText?) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = String(percentDecoded: parts[0]),
            let password = String(percentDecoded: parts.count > 1 ? parts[1] : "")
        else { throw .shape }
        return (user.isEmpty ? nil : user, password.isEmpty ? nil : SensitiveText(password))
    }

    /// Whether the connection can't be read on its way, because it is encrypted or does not leave the machine.
    var isPrivate: Bool { isSecure || ListenAddress(host: host, port: port).isLoopback }
}

/// Why a text is no URL of a Redis server.
enum RedisURLFault: String, Error {
    case scheme = "expected redis://host:port or rediss://host:port"
    case shape = "not a URL: what is no letter or digit in user and password must be percent-encoded"
    case port = "a port is from 1 to 65535"
    case database = "the database behind the slash must be a number from 0 to 1023"
}

extension ConfigurationScope {
    func redis(_ reader: DocumentReader) -> RedisSettings? {
        guard let map = reader.map(keys: ["url", "username", "password", "tls"]) else { return nil }
        let username = map["username"]?.text()
        let password = map["password"].flatMap(secretText)
        let tls = map["tls"].map { self.tls($0) }
        guard var settings = map.required("url").flatMap(redisURL) else { return nil }
        if let tls {
            settings.tls = tls
            if !settings.isSecure { map["tls"]?.mistake("has no effect on redis://: use rediss://") }
        }
        if let username {
            if settings.username != nil { map["username"]?.mistake("the URL names a user already") }
            settings.username = username
        }
        if let password {
            if settings.password != nil { map["password"]?.mistake("the URL holds a password already") }
            settings.password = password
        }
        if settings.username != nil, settings.password == nil { reader.mistake("a user needs a password") }
        if !settings.isPrivate {
            reader.warning("the connection to Redis is in the clear, and its server is not verified: use rediss://")
        }
        return settings
    }

    /// Inline, from a file or from the environment. A URL with a password is treated as a secret.
    private func redisURL(_ reader: DocumentReader) -> RedisSettings? {
        let url: SensitiveText?
        if case .text(let text) = reader.node.content, !text.contains("@") {
            url = SensitiveText(text)
        } else {
            url = secretText(reader)
        }
        guard let url else { return nil }
        do { return try RedisSettings(url: url.exposed) } catch {
            reader.mistake(error.rawValue)
            return nil
        }
    }
}
