import EventHTTP
import EventIO
import HTTPWire

/// What every request of a route needs, worked out once.
final class Passage: Sendable {
    /// The route's name.
    let name: String
    let timeouts: ClientTimeouts
    let breaker: CircuitBreaker
    /// For hosts that callers name: what becomes of requests there says nothing of others.
    let noBreaker: CircuitBreaker
    /// What the route sets on every request.
    let fixed: FieldBlock
    /// The same, for a body of JSON.
    let fixedForJSON: FieldBlock
    private let certificateName: String?
    private let trust: TLSClientContext?
    private let pool: PoolLimits
    /// Where requests go, if that is always the same place.
    private let origin: Origin?

    init(_ route: Route, trust: TLSClientContext?) throws(WireError) {
        name = route.name
        certificateName = route.tls.serverName
        self.trust = trust
        timeouts = ClientTimeouts(
            connect: route.timeouts.connect, response: route.timeouts.response, exchange: route.timeouts.total)
        breaker = CircuitBreaker(route.breaker, route: route.name)
        noBreaker = CircuitBreaker(Route.Breaker(failures: 0), route: route.name)
        pool = PoolLimits(active: route.pool.connections, idle: route.pool.idle, queue: route.pool.queue)
        let headers = route.headers.map { ($0.name, $0.value) }
        fixed = try FieldBlock(headers)
        fixedForJSON = try FieldBlock(headers + [("Content-Type", "application/json")])
        origin = route.target.base.flatMap { [pool] in Self.origin($0, route.tls.serverName, trust, pool) }
    }

    /// Where requests under `base` go; nil if they would be sent in the clear though they must not.
    func origin(of base: BaseURL) -> Origin? {
        if let origin { return origin }
        return Self.origin(base, certificateName, trust, pool)
    }

    private static func origin(
        _ base: BaseURL, _ certificateName: String?, _ trust: TLSClientContext?, _ pool: PoolLimits
    ) -> Origin? {
        // Never in the clear what was meant to be secured.
        guard !base.isSecure || trust != nil else { return nil }
        return Origin(
            host: base.host, port: base.port, tls: base.isSecure ? trust : nil, certificateName: certificateName,
            pool: pool)
    }
}
