public import EventIO
public import Synchronization

/// Where requests go: scheme, host, port, TLS settings, whose they are, and how many connections there may be. Requests to equal origins
/// share connections.
///
/// A class, so that repeated requests to the same origin are recognised by identity, without comparing its properties.
public final class Origin: Hashable, Sendable {
    /// A name or an address, without brackets.
    public let host: String
    /// The TCP port.
    public let port: UInt16
    /// Trust and identity for https; `nil` for plain http.
    public let tls: TLSClientContext?
    /// The name that the certificate must be for.
    public let certificateName: String
    /// The value of the Host header, without the port if it is the scheme's default (RFC 9110 section 7.2).
    public let authority: String
    /// Whose requests these are: others to the same host have connections of their own, so that they are limited and counted apart.
    public let owner: String
    /// The limits of each loop's pool.
    public let pool: PoolLimits
    let resolver: Resolver
    /// The connections in use of the pools that were made for this object, on all loops: a gauge.
    public let connectionsInUse = Atomic<Int>(0)
    /// Requests that got none, or waited too long for one: a counter.
    public let refusals = Atomic<Int>(0)

    /// - Parameter certificateName: the host by default.
    public init(
        host: String, port: UInt16, tls: TLSClientContext? = nil, certificateName: String? = nil,
        owner: String = "", pool: PoolLimits = PoolLimits(), resolver: Resolver = .shared
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.owner = owner
        self.pool = pool
        self.resolver = resolver
        self.certificateName = certificateName ?? host
        let name = host.contains(":") ? "[\(host)]" : host
        authority = port == (tls == nil ? 80 : 443) ? name : "\(name):\(port)"
    }

    public static func == (one: Origin, other: Origin) -> Bool {
        if one === other { return true }
        return one.port == other.port && one.tls === other.tls && one.host == other.host
            && one.certificateName == other.certificateName && one.owner == other.owner && one.pool == other.pool
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(tls.map { ObjectIdentifier($0) })
    }
}
