import Configuration
import FormSchema
import HTTPWire

extension FormCalls {
    /// Validates, maps to the form's JSON, replaces values by aliases unless the route redacts itself, and forwards
    /// (docs/reference/proxy.md section 2). Nothing leaves before the submission is accepted.
    func send(_ call: Call, _ form: HostedForm, path: String) async throws(Failure) -> Answer {
        guard let route = form.route else { throw .fault(.notFound("this form is sent nowhere")) }
        let method = call.head.method.name
        guard route.methods.contains(method) else {
            throw .fault(.methodNotAllowed(allowed: methods(of: .send(form: "", path: ""), form)))
        }
        let credential = try await authorize(call, form.schema.access.send, .sendForms)
        return try await repetitions.once(
            call, of: form.schema, by: credential, isVaults: false
        ) { () async throws(Failure) in
            try await send(call, form, path: path, to: route, by: credential)
        }
    }

    private func send(
        _ call: Call, _ form: HostedForm, path: String, to route: Route, by credential: Credential?
    ) async throws(Failure) -> Answer {
        let evaluation = try evaluate(call, form)
        try demandAcceptable(evaluation, form)
        let routeID = try self.routeID(call)
        let forwardPath: ForwardPath
        do { forwardPath = try ForwardPath(raw: path) } catch { throw .fault(.malformed(error.rawValue)) }
        try forwarder.demandAllowed(forwardPath, on: route)
        switch route.target {
        case .echo: return .json(200, try await redactedBody(evaluation, by: credential, call))
        case .upstream(let base):
            // Before aliases are made that nobody would see.
            try forwarder.demandAwake(route)
            let body = try await redactedBody(evaluation, by: credential, call)
            return try await forward(call, body, to: route, base, forwardPath)
        case .vgs(let tenant, let fixed):
            guard let base = tenant.base(routeID: routeID ?? fixed) else { throw .problem(.invalidConfigurationURL) }
            // Another host than the route's own may well be awake.
            if routeID == nil { try forwarder.demandAwake(route) }
            return try await forward(
                call, evaluation.rawBody, to: route, base, isHostNamed: routeID != nil, forwardPath)
        case .reveal: throw .fault(.notFound("this form is sent nowhere"))
        }
    }

    /// An answer that is to be kept is needed to its end first, if it is small enough.
    private func forward(
        _ call: Call, _ body: [UInt8], to route: Route, _ base: BaseURL, isHostNamed: Bool = false, _ path: ForwardPath
    ) async throws(Failure) -> Answer {
        try await forwarder.forward(
            call, body, route: route, to: base, isHostNamed: isHostNamed, path: path,
            holdingAtMost: call.head.contains(IdempotencyKey.header) ? KeptAnswer.limit : Forwarder.held)
    }

    /// The body with aliases in the place of values.
    private func redactedBody(
        _ evaluation: Evaluation, by credential: Credential?, _ call: Call
    ) async throws(Failure) -> [UInt8] {
        let aliases: [String]
        do throws(Failure) {
            aliases = try await self.aliases(for: evaluation.aliasItems, .send, by: credential, call)
        } catch {
            // Nothing is sent, and the vault's answer is none of the upstream's.
            guard case .vaultRefused(let answer) = error else { throw error }
            throw .problem(.vaultRefused(status: answer.status))
        }
        guard let body = evaluation.redactedBody(aliases: aliases) else { throw .fault(.internalError) }
        return body
    }

    /// `VGS-Route-Id`, if it is there and not empty. Of two, nobody knows which was meant.
    private func routeID(_ call: Call) throws(Failure) -> RouteID? {
        let given = call.head.all("VGS-Route-Id")
        guard given.count <= 1 else { throw .fault(.malformed("VGS-Route-Id must be given once")) }
        guard let text = given.first, !text.isEmpty else { return nil }
        guard let id = RouteID(text) else { throw .problem(.invalidConfigurationURL) }
        return id
    }
}
