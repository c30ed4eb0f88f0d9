public import Access
import FormSchema

/// The `server` section: where clients connect and what one of them may use.
public struct ServerSettings: Sendable {
    /// Certificate and key of the listener, and the authorities of client certificates.
    public struct TLS: Sendable, Equatable {
        /// Path of a PEM file with the certificate and its chain.
        public let certificate: String
        /// Path of a PEM file with the private key.
        public let key: String
        /// Path of a PEM file; clients must show a certificate issued by one of its authorities.
        public let clientCA: String?
    }

    /// Bytes, and counts where it says so.
    public struct Limits: Sendable, Equatable {
        /// Of the first line.
        public var requestLine = 8 << 10
        /// Of all header fields together.
        public var headers = 32 << 10
        /// Header fields in one request.
        public var headerCount = 100
        /// Of a request's body.
        public var body = 1 << 20
        /// Open connections.
        public var connections = 10_000
        /// Steps that one match of a form's pattern may take (0.23 ms at most by default).
        public var patternMatch = 100_000
    }

    /// How long the phases of a connection may take.
    public struct Timeouts: Sendable, Equatable {
        /// From the first byte of a request, or from the connection's start, to the end of its head.
        public var header = Duration.seconds(10)
        /// From the end of the head to the end of the body.
        public var body = Duration.seconds(30)
        /// Between two requests of a connection; before the first, no longer than `header`.
        public var idle = Duration.seconds(60)
        /// From the signal to stop until connections are cut.
        public var drain = Duration.seconds(30)
    }

    /// Requests a minute; nil: no limit.
    public struct RateLimit: Sendable, Equatable {
        /// Of all callers together.
        public var global: Int?
        /// Of one client address (IPv6: /64).
        public var address: Int?
        /// Of one session, or one subject of an identity provider.
        public var session: Int?

        /// Requests a minute of all together, of an address and of a session; nil: no limit.
        public init(global: Int? = nil, address: Int? = nil, session: Int? = nil) {
            self.global = global
            self.address = address
            self.session = session
        }
    }

    /// Addresses to listen on.
    public var listen = [ListenAddress(host: "127.0.0.1", port: 8080)]
    /// Event loops; 0: one a core.
    public var workers = 0
    /// Nil: plain HTTP.
    public var tls: TLS?
    /// What one client may use.
    public var limits = Limits()
    /// How long the phases of a connection may take.
    public var timeouts = Timeouts()
    /// A number is the limit of all callers together.
    public var rateLimit = RateLimit()
    /// A request that would wait longer for its turn is refused with 503.
    public var maxWait = Duration.milliseconds(500)
    /// From the signal to stop until the listeners close: readiness says 503 meanwhile, and connections are accepted.
    public var shutdownDelay = Duration.zero
    /// Proxies whose `Forwarded` or `X-Forwarded-For` is believed (docs/reference/access.md section 4).
    public var trustedProxies: [Network] = []
    /// Whether every connection begins with a header of the PROXY protocol, version 1 or 2.
    public var proxyProtocol = false
}

extension ConfigurationScope {
    func server(_ reader: DocumentReader) -> ServerSettings {
        var server = ServerSettings()
        let keys = [
            "listen", "workers", "tls", "limits", "timeouts", "rateLimit", "maxWait", "shutdownDelay", "trustedProxies",
            "proxyProtocol", "allowPlaintext",
        ]
        guard let map = reader.map(keys: keys) else { return server }
        if let listen = map["listen"]?.list(), let reader = map["listen"] {
            if listen.isEmpty { reader.mistake("name at least one address") }
            server.listen = listen.compactMap { $0.listenAddress() }
            let fixed = server.listen.filter { $0.port != 0 }
            if fixed.indices.contains(where: { fixed[..<$0].contains(where: fixed[$0].overlaps) }) {
                reader.mistake("an address is listed twice, or beside one that stands for all")
            }
        }
        if let workers = map["workers"]?.int(in: 0...256) { server.workers = workers }
        if let tls = map["tls"] { server.tls = self.tls(tls) }
        if let limits = map["limits"] { server.limits = self.limits(limits) }
        if let timeouts = map["timeouts"] { server.timeouts = self.timeouts(timeouts) }
        if let rateLimit = map["rateLimit"] { server.rateLimit = self.rateLimit(rateLimit) }
        let hour = Duration.seconds(3_600)
        if let wait = map["maxWait"]?.timeSpan(in: .milliseconds(1)...hour) { server.maxWait = wait }
        if let delay = map["shutdownDelay"]?.timeSpan(in: .zero...hour) { server.shutdownDelay = delay }
        if let networks = map["trustedProxies"] { server.trustedProxies = networks.networks() }
        if let proxied = map["proxyProtocol"]?.bool() { server.proxyProtocol = proxied }
        if map["allowPlaintext"]?.bool() == true { allowPlaintext(of: .server) }
        return server
    }

    /// The admin listener's address; nil if it is not given, or if there is a mistake.
    func admin(_ reader: DocumentReader) -> ListenAddress? {
        guard let map = reader.map(keys: ["listen", "allowPlaintext"]) else { return nil }
        if map["allowPlaintext"]?.bool() == true { allowPlaintext(of: .admin) }
        return map["listen"]?.listenAddress()
    }

    private func rateLimit(_ reader: DocumentReader) -> ServerSettings.RateLimit {
        let range = 1...100_000_000
        guard case .map = reader.node.content else {
            return ServerSettings.RateLimit(global: reader.int(in: range))
        }
        guard let map = reader.map(keys: ["global", "address", "session"]) else { return ServerSettings.RateLimit() }
        return ServerSettings.RateLimit(
            global: map["global"]?.int(in: range), address: map["address"]?.int(in: range),
            session: map["session"]?.int(in: range))
    }

    private func tls(_ reader: DocumentReader) -> ServerSettings.TLS? {
        guard let map = reader.map(keys: ["certificate", "key", "clientCA"]) else { return nil }
        let identity = identity(map)
        namesClientAuthority = map["clientCA"] != nil
        let clientCA = map["clientCA"].flatMap { authorities($0) }
        guard let identity else { return nil }
        return ServerSettings.TLS(certificate: identity.certificate, key: identity.key, clientCA: clientCA)
    }

    private func limits(_ reader: DocumentReader) -> ServerSettings.Limits {
        var limits = ServerSettings.Limits()
        let keys = ["requestLine", "headers", "headerCount", "body", "connections", "patternMatch"]
        guard let map = reader.map(keys: keys) else { return limits }
        if let bytes = map["requestLine"]?.byteCount(in: 64...1 << 20) { limits.requestLine = bytes }
        if let bytes = map["headers"]?.byteCount(in: 256...1 << 20) { limits.headers = bytes }
        if let count = map["headerCount"]?.int(in: 1...10_000) { limits.headerCount = count }
        if let bytes = map["body"]?.byteCount(in: 1...1 << 30) { limits.body = bytes }
        if let count = map["connections"]?.int(in: 1...1_000_000) { limits.connections = count }
        if let steps = map["patternMatch"]?.int(in: 1_000...10_000_000) { limits.patternMatch = steps }
        return limits
    }

    private func timeouts(_ reader: DocumentReader) -> ServerSettings.Timeouts {
        var timeouts = ServerSettings.Timeouts()
        guard let map = reader.map(keys: ["header", "body", "idle", "drain"]) else { return timeouts }
        let range = Duration.milliseconds(1)...Duration.seconds(86_400)
        if let span = map["header"]?.timeSpan(in: range) { timeouts.header = span }
        if let span = map["body"]?.timeSpan(in: range) { timeouts.body = span }
        if let span = map["idle"]?.timeSpan(in: range) { timeouts.idle = span }
        if let span = map["drain"]?.timeSpan(in: Duration.zero...Duration.seconds(86_400)) { timeouts.drain = span }
        return timeouts
    }
}
