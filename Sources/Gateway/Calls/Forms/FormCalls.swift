import Access
import Configuration
import FormSchema
import HTTPWire

/// The client plane: the calls of web pages and mobile apps (`docs/architecture.md`, the walk of a submission).
struct FormCalls: Sendable {
    let authenticator: Authenticator
    let idempotency: Idempotency
    let judge: SubmissionJudge
    let creation: AliasCreation
    let forwarder: Forwarder

    /// Calls the function of the endpoint.
    ///
    /// - Parameter form: the one that the endpoint names, if it is hosted.
    func respond(to call: Call, of form: HostedForm?) async throws(CallError) -> CallResponse {
        guard call.endpoint.formID != nil else { throw .notFound("there is nothing at this path") }
        guard let form else { throw .notFound("there is no such form") }
        let methods = call.endpoint.methods ?? form.methodsOfSend
        if call.head.method == .options {
            return CrossOrigin.preflight(
                call.head, methods: methods ?? .options, allowed: form.schema.allowedOrigins,
                headers: form.schema.allowedHeaders + (form.route?.forwardHeaders ?? []))
        }
        // Without a route there is nothing, whatever the method: `send` says so.
        if let methods { try call.head.require(methods) }
        switch call.endpoint {
        case .form: return describe(call, form)
        case .validate: return try await validate(call, form)
        case .aliases: return try await aliases(call, form, .aliases)
        case .tokens: return try await aliases(call, form, .tokens)
        case .send(_, let path): return try await send(call, form, path: path)
        default: throw .notFound("there is nothing at this path")
        }
    }

    /// The caller, who may carry out the operation.
    ///
    /// - Parameter path: the upstream path of a `send`.
    func authorize(
        _ call: Call, _ form: HostedForm, _ operation: FormOperation, path: String? = nil
    ) async throws(CallError) -> Caller {
        try await authenticator.authorize(call, action(form, operation, path: path))
    }

    /// Records the use of a session for a call with an idempotency key that is not a repetition.
    func takeUse(
        _ call: Call, of caller: Caller, _ form: HostedForm, _ operation: FormOperation, path: String? = nil
    ) async throws(CallError) {
        try await authenticator.takeUse(call, of: caller, action(form, operation, path: path))
    }

    private func action(_ form: HostedForm, _ operation: FormOperation, path: String?) -> Action {
        .form(form.schema.form, operation, access: form.schema.access[operation], path: path)
    }
}
