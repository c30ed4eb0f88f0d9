import Access
import AuditLog
import Configuration
import EventHTTP
import HTTPWire
import JSON
import Vault

/// `ANY /v1/routes/{route}/{path}`: servers send aliases, a processor gets values (`docs/reference/proxy.md` section 7).
struct RouteCalls: Sendable {
    private let routes: [String: RevealRoute]
    let vault: Vault
    let authenticator: Authenticator
    let forwarder: Forwarder
    let panGuard: PANGuard
    let volatile: VolatileShares
    let telemetry: Telemetry
    let audit: AuditLog
    private let storeFailure: @Sendable () -> VaultError?

    /// - Parameter storeFailure: why the vault's store could not do what it was last asked for; nil if it could.
    init(
        routes: [Route], vault: Vault, authenticator: Authenticator, forwarder: Forwarder, volatile: VolatileShares,
        telemetry: Telemetry, audit: AuditLog, storeFailure: @escaping @Sendable () -> VaultError?
    ) {
        self.routes = Dictionary(routes.compactMap { route in RevealRoute(route).map { (route.name, $0) } }) { $1 }
        self.vault = vault
        self.authenticator = authenticator
        self.forwarder = forwarder
        panGuard = PANGuard(vault: vault, telemetry: telemetry, audit: audit)
        self.volatile = volatile
        self.telemetry = telemetry
        self.audit = audit
        self.storeFailure = storeFailure
    }

    /// - Parameter path: still percent-encoded.
    func respond(to call: Call, route name: String, path: String) async throws(CallError) -> CallResponse {
        // Before anything about routes is told: only callers who may use them may learn their names.
        let caller = try await authenticator.authorize(call, .route(name))
        guard let route = routes[name], route.route.name.hasSameBytes(as: name) else {
            throw .notFound("there is no such reveal route")
        }
        try call.head.require(route.methods)
        if call.head.method == .options { return .options(route.methods) }
        let forwardPath = try forwarder.path(path, of: call, on: route.route)
        try forwarder.requireClosedCircuit(of: route.route)
        let held = try requireRedactable(route, by: caller)
        let revealed = try await reveal(call, route, path: forwardPath, for: caller)
        let sentPath = (revealed.path ?? forwardPath).appended(to: route.base.path)
        let target = sentPath + (revealed.query.map { "?\($0)" } ?? "")
        let upstream = try await forwarder.send(
            request(call, route, revealed, target: target), on: route.route, for: call)
        do throws(CallError) {
            return try await response(upstream, route, revealed.values, held, for: caller, call)
        } catch {
            throw .upstream(error, route: route.route.name, microseconds: upstream.microseconds, wasSent: true)
        }
    }

    /// Throws if what the route redacts could not be stored: the response would have to be withheld, and what an upstream has done
    /// can't be undone. A damaged page of the store says nothing about others.
    ///
    /// - Returns: a place for each rule that stores VOLATILE, so that no other request takes it meanwhile. A rule that finds several values,
    ///   or a large one, needs more, which is not known before the response.
    private func requireRedactable(_ route: RevealRoute, by caller: Caller) throws(CallError) -> [VolatilePlace] {
        if route.redaction.rules.isEmpty { return [] }
        if audit.failure != nil { throw audit.refusal }
        if route.redaction.needsStore {
            switch storeFailure() {
            case .unavailable, .outcomeUnknown: throw .unavailable
            default: break
            }
        }
        guard route.redaction.volatileRules > 0 else { return [] }
        if vault.isVolatileStorageFull { throw .volatileStorageFull }
        return try volatile.hold(route.redaction.volatileRules, for: caller)
    }

    private func request(
        _ call: Call, _ route: RevealRoute, _ revealed: RevealRequest.Revealed, target: String
    ) -> UpstreamRequest {
        var request = UpstreamRequest(base: route.base, target: target, body: revealed.body)
        request.contentType = call.head[.contentType]
        request.contentCodings = revealed.isUnread ? call.head.all("Content-Encoding") : []
        request.headerValues = revealed.headers
        request.searchesResponse = true
        // What is redacted must be there as a whole.
        if !route.redaction.rules.isEmpty { request.buffering = .whole }
        return request
    }

    /// Every alias whose value leaves the vault or enters it is an event of its own.
    ///
    /// - Parameter alias: nil if it may not be written to a log.
    func event(
        _ action: AuditEvent.Action, _ alias: String?, _ route: RevealRoute, for caller: Caller, _ call: Call
    ) -> AuditEvent {
        AuditEvent(
            action, of: call, by: caller, route: route.route.name, aliases: alias.map { [$0] } ?? [], count: 1)
    }
}
