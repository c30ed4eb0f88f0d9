import EventHTTP
import EventIO
import HTTPWire
import Synchronization

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
    /// Requests under way to hosts that their callers have named.
    private let requestsToNamedHosts = Atomic<Int>(0)
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
    ///
    /// - Parameter isHostNamed: whether the caller has named the host. There may be as many of those as anybody likes: connections
    ///   to them are hardly kept, and their names are looked up apart.
    func origin(of base: BaseURL, isHostNamed: Bool) -> Origin? {
        if let origin { return origin }
        guard isHostNamed else { return Self.origin(base, certificateName, trust, pool) }
        let pool = PoolLimits(
            active: pool.active, idle: min(pool.idle, 1), queue: pool.queue, idleTimeout: .seconds(5))
        return Self.origin(base, certificateName, trust, pool, .forCallers)
    }

    /// Whether another request may go to a host that its caller has named: all of them together, on all loops, may have as many
    /// connections as the route's own host on one. `leaveNamedHost(behind:)` afterwards.
    func enterNamedHost() -> Bool {
        if requestsToNamedHosts.add(1, ordering: .relaxed).newValue <= pool.active { return true }
        leaveNamedHost(behind: nil)
        return false
    }

    /// Gives the place back, once the body that is still to come has come.
    func leaveNamedHost(behind body: IncomingBody?) {
        guard let body else {
            requestsToNamedHosts.subtract(1, ordering: .relaxed)
            return
        }
        body.onConnectionReleased = { [self] in leaveNamedHost(behind: nil) }
    }

    private static func origin(
        _ base: BaseURL, _ certificateName: String?, _ trust: TLSClientContext?, _ pool: PoolLimits,
        _ resolver: Resolver = .shared
    ) -> Origin? {
        // Never in the clear what was meant to be secured.
        guard !base.isSecure || trust != nil else { return nil }
        return Origin(
            host: base.host, port: base.port, tls: base.isSecure ? trust : nil, certificateName: certificateName,
            pool: pool, resolver: resolver)
    }
}
