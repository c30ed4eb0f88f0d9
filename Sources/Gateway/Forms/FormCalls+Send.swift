import FormSchema
import HTTPWire

extension FormCalls {
    /// Validates, maps to the form's JSON, replaces values by aliases unless the route redacts itself, and forwards
    /// (reference, proxy section 2). Nothing leaves before the submission is accepted.
    func send(_ call: Call, _ form: HostedForm, path: String) async throws(Failure) -> Answer {
        guard let route = form.route else { throw .fault(.notFound("this form is sent nowhere")) }
        let method = call.head.method.name
        guard route.methods.contains(method) else {
            throw .fault(.methodNotAllowed(allowed: methods(of: .send(form: "", path: ""), form)))
        }
        let credential = try await authorize(call, form.schema.access.send, .sendForms)
        let evaluation = try evaluate(call, form)
        try demandAcceptable(evaluation, form)
        let routeID = try self.routeID(call)
        let forwardPath: ForwardPath
        do { forwardPath = try ForwardPath(raw: path) } catch { throw .fault(.malformed(error.rawValue)) }
        try forwarder.demandAllowed(forwardPath, on: route)
        switch route.target {
        case .echo: return .json(200, try await redactedBody(evaluation, by: credential, call))
        case .upstream(let base):
            let body = try await redactedBody(evaluation, by: credential, call)
            return try await forwarder.forward(call, body, route: route, to: base, path: forwardPath)
        case .vgs(let tenant, let fixed):
            guard let base = tenant.base(routeID: routeID ?? fixed) else { throw .problem(.invalidConfigurationURL) }
            return try await forwarder.forward(call, evaluation.rawBody, route: route, to: base, path: forwardPath)
        case .reveal: throw .fault(.notFound("this form is sent nowhere"))
        }
    }

    /// The body with aliases in the place of values.
    private func redactedBody(
        _ evaluation: Evaluation, by credential: Credential?, _ call: Call
    ) async throws(Failure) -> [UInt8] {
        let aliases: [String]
        do throws(Failure) { aliases = try await self.aliases(for: evaluation.aliasItems, by: credential, call) } catch
        {
            // Nothing is sent, and the vault's answer is none of the upstream's.
            guard case .vaultRefused(let answer) = error else { throw error }
            throw .problem(.vaultRefused(status: answer.status))
        }
        guard let body = evaluation.redactedBody(aliases: aliases) else { throw .fault(.internalError) }
        return body
    }

    /// `VGS-Route-Id`, if it is there and not empty.
    private func routeID(_ call: Call) throws(Failure) -> RouteID? {
        guard let text = call.head.headers["VGS-Route-Id"], !text.isEmpty else { return nil }
        guard let id = RouteID(text) else { throw .problem(.invalidConfigurationURL) }
        return id
    }
}
