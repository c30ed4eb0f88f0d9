public import EventIO

/// Where requests go: scheme, host, port, with whom TLS is spoken, and how many connections there may be. Requests to equal
/// origins share connections.
///
/// A class, so that one who sends often to the same place is known by its identity.
public final class Origin: Hashable, Sendable {
    /// A name or an address, without brackets.
    public let host: String
    public let port: UInt16
    /// Trust and identity for https; `nil` for plain http.
    public let tls: TLSClientContext?
    /// The name that the certificate must be for.
    public let certificateName: String
    /// The value of the Host header: the port is left out if it is the scheme's own (RFC 9110 section 7.2).
    public let authority: String
    /// For each loop.
    public let pool: PoolLimits
    let resolver: Resolver

    /// `certificateName` is the host if it is not given.
    public init(
        host: String, port: UInt16, tls: TLSClientContext? = nil, certificateName: String? = nil,
        pool: PoolLimits = PoolLimits(), resolver: Resolver = .shared
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.pool = pool
        self.resolver = resolver
        self.certificateName = certificateName ?? host
        let name = host.contains(":") ? "[\(host)]" : host
        authority = port == (tls == nil ? 80 : 443) ? name : "\(name):\(port)"
    }

    public static func == (one: Origin, other: Origin) -> Bool {
        if one === other { return true }
        return one.port == other.port && one.tls === other.tls && one.host == other.host
            && one.certificateName == other.certificateName && one.pool == other.pool
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(tls.map { ObjectIdentifier($0) })
    }
}
