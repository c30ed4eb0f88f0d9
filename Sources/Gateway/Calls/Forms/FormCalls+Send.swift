import Access
import Configuration
import EventHTTP
import FormSchema
import HTTPWire
import JSON
import Sensitive

extension FormCalls {
    /// `ANY /v1/forms/{form}/send/{path}`: validates, maps the fields to the form's JSON, replaces values by aliases unless the
    /// route redacts itself, and forwards (`docs/reference/proxy.md` section 2). Nothing leaves the server before the submission is
    /// valid.
    func send(_ call: Call, _ form: HostedForm, path: String) async throws(CallError) -> CallResponse {
        guard let route = form.route else { throw .notFound("this form has no route") }
        let caller = try await authorize(call, form, .send, path: ForwardPath.text(of: path))
        let body = try await call.json()
        return try await idempotency.once(
            call, body, of: form.schema, by: caller, forwarding: forwarded(of: call, form, path: path, to: route),
            orRefusing: try requireCurrent(call, form)
        ) { () async throws(CallError) in
            try await takeUse(call, of: caller, form, .send, path: ForwardPath.text(of: path))
            let evaluation = try await judge.requireValid(body, by: form, call)
            var created = AliasCreation.Created()
            let response = try await forward(
                evaluation, call, form, path: path, to: route, by: caller, &created)
            return await storable(response, body, form, evaluation.aliasItems, fleeting: created.fleeting, call)
        }
    }

    /// - Parameter created: the aliases that were created for it.
    private func forward(
        _ evaluation: Evaluation, _ call: Call, _ form: HostedForm, path: String, to route: Route,
        by caller: Caller, _ created: inout AliasCreation.Created
    ) async throws(CallError) -> CallResponse {
        let routeID = try self.routeID(call)
        let forwardPath = try forwarder.path(path, of: call, on: route)
        switch route.target {
        case .echo:
            // For what it refuses and records: nothing of the head is in the response.
            _ = try await guardHead(forwardPath, to: route, form, call)
            return .json(200, try await redactedBody(evaluation, form, by: caller, call, &created))
        case .upstream(let base):
            // Before aliases are created that no response would return.
            try forwarder.requireClosedCircuit(of: route)
            let masked = try await guardHead(forwardPath, to: route, form, call)
            let body = try await redactedBody(evaluation, form, by: caller, call, &created)
            let request = UpstreamRequest(base: base, path: forwardPath, masked, body: body)
            let aliases = created.aliases.map { SensitiveText($0) }
            return try await exchange(request, on: route, form, call, exempt: aliases)
        case .vgs(let tenant, let fixed):
            if fixed != nil, routeID != nil {
                throw .malformed("the route has a fixed route id: VGS-Route-Id is refused")
            }
            guard let base = tenant.base(routeID: routeID ?? fixed) else { throw .invalidRouteID }
            // The circuit breaker is about the route's own host, not about one that the caller names.
            if routeID == nil { try forwarder.requireClosedCircuit(of: route) }
            let masked = try await guardHead(forwardPath, to: route, form, call)
            let body = try await rawBody(evaluation, form, call)
            var request = UpstreamRequest(base: base, path: forwardPath, masked, body: body)
            request.isHostNamed = routeID != nil
            return try await exchange(request, on: route, form, call)
        case .reveal: throw .notFound("this form has no route")
        }
    }

    /// Sends the request and looks for card numbers in the response. With an Idempotency-Key the response is buffered up to 4 MiB so
    /// that it can be stored; otherwise it is streamed.
    ///
    /// - Parameter exempt: aliases that have been sent, which the response may hold.
    private func exchange(
        _ request: UpstreamRequest, on route: Route, _ form: HostedForm, _ call: Call, exempt: [SensitiveText] = []
    ) async throws(CallError) -> CallResponse {
        var request = request
        request.searchesResponse = form.responseGuard.needsText
        if call.head.contains(IdempotencyKey.header) {
            request.buffering = .held(upTo: IdempotencyEntry.limit)
            request.isSentOnce = true
        }
        let upstream = try await forwarder.send(request, on: route, for: call)
        var response = CallResponse(passing: upstream, of: route)
        do throws(CallError) {
            try await guardResponse(
                &response, of: upstream.response.headers, form.responseGuard, exempt: exempt, form, call)
        } catch {
            throw .upstream(error, route: route.name, microseconds: upstream.microseconds, wasSent: true)
        }
        return response
    }

    /// The body with aliases in the place of values.
    private func redactedBody(
        _ evaluation: Evaluation, _ form: HostedForm, by caller: Caller, _ call: Call,
        _ created: inout AliasCreation.Created
    ) async throws(CallError) -> [UInt8] {
        try await requireNoCardNumber(inBodyOf: evaluation, form, call)
        do throws(CallError) {
            created = try await creation.aliases(for: evaluation.aliasItems, .send, by: caller, call)
        } catch .remoteVault(.vaultResponse(let response), let mayHaveStored) {
            // Nothing is sent, and a remote vault's response must not be taken for the upstream's.
            throw .remoteVault(.vaultRefused(status: response.status), mayHaveStored: mayHaveStored)
        }
        let aliases = created.aliases
        let body = await LargeBodies.work(on: call.bodyCount) { evaluation.redactedBody(aliases: aliases) }
        guard let body else { throw .internalError }
        return try await guardRequest(body, exempt: created.aliases.map { SensitiveText($0) }, form, call)
    }

    /// The body with every value unchanged. Card numbers are meant to be in it where card fields send them, and nowhere else.
    private func rawBody(_ evaluation: Evaluation, _ form: HostedForm, _ call: Call) async throws(CallError) -> [UInt8]
    {
        let (searched, standIns) = await LargeBodies.work(on: call.bodyCount) {
            var standIns = StandIns()
            return (evaluation.rawBody(&standIns), standIns)
        }
        let guarded = try await guardRequest(searched, exempt: [], form, call)
        return await LargeBodies.work(on: guarded.count) { standIns.restored(in: guarded) }
    }

    /// What of the request counts under an idempotency key, apart from its body: paths as they are sent, `/orders` and `/%6Frders` alike,
    /// and the route id where it means something, or is refused.
    private func forwarded(
        of call: Call, _ form: HostedForm, path: String, to route: Route
    ) -> RequestIdentity.Forwarded {
        let sent = (try? ForwardPath(raw: path)).map { "/v1/forms/\(form.schema.form)/send/\($0.encoded)" }
        var forwarded = RequestIdentity.Forwarded(
            path: sent ?? call.path,
            headers: route.forwardHeaders.filter { !route.sets($0) } + creation.forwardedHeaders(.send))
        let ids = call.head.all("VGS-Route-Id")
        let id = ids.joined(separator: ",")
        if !id.isEmpty, route.kind == .vgs || ids.count > 1 || RouteID(id) == nil { forwarded.routeID = id }
        return forwarded
    }

    /// `VGS-Route-Id`, if it is there and not empty. Two of them are ambiguous and refused.
    private func routeID(_ call: Call) throws(CallError) -> RouteID? {
        let given = call.head.all("VGS-Route-Id")
        guard given.count <= 1 else { throw .malformed("VGS-Route-Id must be given once") }
        guard let text = given.first, !text.isEmpty else { return nil }
        guard let id = RouteID(text) else { throw .invalidRouteID }
        return id
    }
}

extension UpstreamRequest {
    /// - Parameter masked: what is sent in the place of the path and of the caller's headers; nil if they are sent as they are.
    fileprivate init(base: BaseURL, path: ForwardPath, _ masked: RequestHeadTexts?, body: [UInt8]) {
        self.init(base: base, target: (masked?.path ?? path).appended(to: base.path), body: body)
        if let masked { headerValues = masked.headerValues }
    }
}
