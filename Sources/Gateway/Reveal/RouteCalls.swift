import EventHTTP
import HTTPWire
import JSON
import Vault

/// Reveal routes: servers send aliases, a processor gets values (docs/reference/proxy.md section 7).
struct RouteCalls: Sendable {
    private let routes: [String: RevealRoute]
    let vault: Vault
    let authenticator: Authenticator
    let forwarder: Forwarder
    let telemetry: Telemetry
    let audit: AuditLog
    private let storeFailure: @Sendable () -> VaultError?

    /// - Parameter storeFailure: why the vault's store could not do what it was last asked for; nil if it could.
    init(
        routes: [Route], vault: Vault, authenticator: Authenticator, forwarder: Forwarder, telemetry: Telemetry,
        audit: AuditLog, storeFailure: @escaping @Sendable () -> VaultError?
    ) {
        self.routes = Dictionary(routes.compactMap { route in RevealRoute(route).map { (route.name, $0) } }) { $1 }
        self.vault = vault
        self.authenticator = authenticator
        self.forwarder = forwarder
        self.telemetry = telemetry
        self.audit = audit
        self.storeFailure = storeFailure
    }

    /// Answers the call, or says why not. `path` is still percent-encoded.
    func answer(_ call: Call, route name: String, path: String) async throws(CallError) -> CallResponse {
        // Which routes there are is told only to those who may use them.
        let credential = try await authenticator.authorize(call, .sendRoutes)
        guard let route = routes[name], route.route.name.hasSameBytes(as: name) else {
            throw .notFound("there is no such reveal route")
        }
        let method = call.head.method
        if method == .options { return CallResponse(status: 204, headers: [("Allow", route.allowedMethods)]) }
        guard route.route.methods.contains(method.name) else {
            throw .methodNotAllowed(allowed: route.allowedMethods)
        }
        let forwardPath: ForwardPath
        do { forwardPath = try ForwardPath(raw: path) } catch { throw .malformed(error.rawValue) }
        try forwarder.requirePath(forwardPath, on: route.route)
        // Before values are taken out that would go nowhere.
        try forwarder.requireClosedCircuit(of: route.route)
        try demandRedactable(route)
        let revealed = try await reveal(call, route, for: credential)
        let target = forwardPath.appended(to: route.base.path) + (revealed.query.map { "?\($0)" } ?? "")
        var request = UpstreamRequest(base: route.base, target: target, body: revealed.body)
        request.contentType = call.head[.contentType]
        request.contentCodings = revealed.isUnread ? call.head.all("Content-Encoding") : []
        request.headerValues = revealed.headers
        if !route.redaction.rules.isEmpty {
            request.bufferLimit = .max
            request.tooLarge = .unexpectedResponseDataFormat
        }
        return try await redact(
            try await forwarder.send(request, on: route.route, for: call), route, for: credential, call)
    }

    /// Stops a call whose answer would have to be withheld: what an upstream has done cannot be taken back. A page of the store
    /// that is damaged says nothing of others.
    private func demandRedactable(_ route: RevealRoute) throws(CallError) {
        if route.redaction.rules.isEmpty { return }
        if audit.failure != nil { throw .auditUnavailable }
        if route.redaction.needsStore, case .unavailable? = storeFailure() { throw .unavailable }
        if route.redaction.needsVolatileStorage, vault.isVolatileStorageFull { throw .volatileStorageFull }
    }

    /// Puts values in the place of aliases. Nothing has left when this throws, and everything that will is recorded when
    /// it returns.
    private func reveal(
        _ call: Call, _ route: RevealRoute, for credential: Credential
    ) async throws(CallError) -> RevealRequest.Revealed {
        let request = try RevealRequest(call, route)
        let candidates = try request.candidates()
        // Once a value has expired, nobody knows of what it was.
        let recordable = Set(vault.recordable(candidates.texts))
        var values = RevealedValues([:])
        if !candidates.texts.isEmpty {
            do { values = RevealedValues(try await vault.lookUp(candidates.texts)) } catch {
                telemetry.recordVaultFailure(error)
                throw CallError(error)
            }
        }
        if route.rules.unknownAliases == .refuse {
            let unknown = candidates.texts.filter { AliasShape.isPrefixed($0) && values[$0] == nil }
            guard unknown.isEmpty else {
                try audit.demandRecord(
                    of: AuditEvent(
                        .reveal, .unknown, requestID: call.id, credential: credential.name, route: route.route.name,
                        count: unknown.count))
                throw .unknownAliases(unknown)
            }
        }
        try candidates.demandRoom(for: values, isPercentEncoded: request.isPercentEncoded)
        let revealed = try request.revealed(values)
        let events = values.aliases.map { alias in
            event(.reveal, recordable.contains(alias) ? alias : nil, route, for: credential, call)
        }
        if events.isEmpty { return revealed }
        try await audit.demandDurableRecords(of: events)
        telemetry.recordReveal(count: events.count, credential: credential.name, requestID: call.id)
        return revealed
    }

    /// Puts aliases in the place of what the caller must not see.
    private func redact(
        _ upstream: UpstreamResponse, _ route: RevealRoute, for credential: Credential, _ call: Call
    ) async throws(CallError) -> CallResponse {
        let response = upstream.response
        guard !route.redaction.rules.isEmpty, !response.body.isEmpty else {
            return CallResponse(passing: upstream, of: route.route)
        }
        guard let json = try? JSONValue.parse(response.body), let items = route.redaction.items(json) else {
            throw .unexpectedResponseDataFormat
        }
        if items.isEmpty { return CallResponse(passing: upstream, of: route.route) }
        let aliases: [String]
        do throws(CallError) {
            aliases = try await self.aliases(for: items, route, for: credential, call)
        } catch { throw error.withholdingAnswer(status: response.status) }
        var writer = JSONWriter(capacity: response.body.count + 256)
        route.redaction.write(json, aliases: aliases, into: &writer)
        return CallResponse(passing: upstream, of: route.route, body: writer.bytes)
    }

    /// Aliases that are made by one commit: others are not to wait long for theirs.
    private static let itemsAtOnce = 500

    /// An alias for each item, recorded.
    private func aliases(
        for items: [VaultItem], _ route: RevealRoute, for credential: Credential, _ call: Call
    ) async throws(CallError) -> [String] {
        var aliases: [String] = []
        for start in stride(from: 0, to: items.count, by: Self.itemsAtOnce) {
            let some = Array(items[start..<min(start + Self.itemsAtOnce, items.count)])
            let place = try audit.demandPlace(for: some.count)
            let made = try await vault.aliases(for: some, telemetry)
            // At once: should the next ones fail, these are there all the same.
            let events = some.recordable(made).map { event(.redact, $0, route, for: credential, call) }
            do throws(AuditFailure) { try await place.recordDurably(events) } catch { throw .auditUnavailable }
            aliases += made
        }
        return aliases
    }

    /// Every alias whose value leaves the vault or enters it is an event of its own.
    ///
    /// - Parameter alias: nil if it may not be written to a log.
    private func event(
        _ action: AuditEvent.Action, _ alias: String?, _ route: RevealRoute, for credential: Credential, _ call: Call
    ) -> AuditEvent {
        AuditEvent(
            action, requestID: call.id, credential: credential.name, route: route.route.name,
            aliases: alias.map { [$0] } ?? [], count: 1)
    }
}
