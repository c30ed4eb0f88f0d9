import EventHTTP
import EventIO
import HTTPWire

/// What every request of a route needs, worked out once.
final class Passage: Sendable {
    let route: Route
    let timeouts: ClientTimeouts
    let breaker: CircuitBreaker
    /// What the route sets on every request.
    let fixed: FieldBlock
    /// Names that the route sets, in lower case: they win over forwarded ones.
    let ownNames: Set<String>
    private let trust: TLSClientContext?
    private let pool: PoolLimits
    /// Where requests go, if that is always the same place.
    private let origin: Origin?

    init(_ route: Route, trust: TLSClientContext?) throws(WireError) {
        self.route = route
        self.trust = trust
        timeouts = ClientTimeouts(
            connect: route.timeouts.connect, response: route.timeouts.response, exchange: route.timeouts.total)
        breaker = CircuitBreaker(route.breaker, route: route.name)
        pool = PoolLimits(active: route.pool.connections, idle: route.pool.idle, queue: route.pool.queue)
        fixed = try FieldBlock(route.headers.map { ($0.name, $0.value) })
        ownNames = Set(route.headers.map { $0.name.lowercased() } + ["x-request-id"])
        origin = route.target.base.flatMap { [pool] in Self.origin($0, route, trust, pool) }
    }

    /// Where requests under `base` go; nil if they would be sent in the clear though they must not.
    func origin(of base: BaseURL) -> Origin? {
        if let origin { return origin }
        return Self.origin(base, route, trust, pool)
    }

    private static func origin(
        _ base: BaseURL, _ route: Route, _ trust: TLSClientContext?, _ pool: PoolLimits
    ) -> Origin? {
        // Never in the clear what was meant to be secured.
        guard !base.isSecure || trust != nil else { return nil }
        return Origin(
            host: base.host, port: base.port, tls: base.isSecure ? trust : nil, certificateName: route.tls.serverName,
            pool: pool)
    }

    /// Whether the route may be asked for `path`.
    func allows(_ path: ForwardPath) -> Bool {
        guard let patterns = route.paths else { return true }
        return patterns.contains { $0.matches(path) }
    }
}
