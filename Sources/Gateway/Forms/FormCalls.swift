import AuditLog
import Configuration
import FormSchema
import HTTPWire
import Vault

/// The client plane: what web and mobile clients call.
struct FormCalls: Sendable {
    let vault: Vault
    /// Where aliases are made, if not in `vault`.
    let remote: RemoteTokenizer?
    let authenticator: Authenticator
    let forwarder: Forwarder
    let repetitions: Repetitions
    let telemetry: Telemetry
    let audit: AuditLog

    /// Answers the call, or says why not.
    ///
    /// - Parameter form: the one that the endpoint names, if it is hosted.
    func answer(_ call: Call, at endpoint: Endpoint, of form: HostedForm?) async throws(Failure) -> Answer {
        guard endpoint.formID != nil else { throw .fault(.notFound("there is nothing at this path")) }
        guard let form else { throw .fault(.notFound("there is no such form")) }
        if call.head.method == .options {
            return CrossOrigin.preflight(
                call.head, methods: methods(of: endpoint, form), allowed: form.schema.allowedOrigins,
                forwarded: form.route?.forwardHeaders ?? [])
        }
        switch endpoint {
        case .form:
            try demand(.get, of: call, at: endpoint, form)
            return describe(call, form)
        case .validate:
            try demand(.post, of: call, at: endpoint, form)
            return try await validate(call, form)
        case .aliases:
            try demand(.post, of: call, at: endpoint, form)
            return try await tokenize(call, form, .aliases, for: form.schema.access.aliases)
        case .tokens:
            try demand(.post, of: call, at: endpoint, form)
            return try await tokenize(call, form, .tokens, for: form.schema.access.tokens)
        case .send(_, let path): return try await send(call, form, path: path)
        default: throw .fault(.notFound("there is nothing at this path"))
        }
    }

    /// The methods that `Allow` names.
    func methods(of endpoint: Endpoint, _ form: HostedForm?) -> String {
        switch endpoint {
        case .formList, .form: "GET, HEAD, OPTIONS"
        case .send: ((form?.route?.methods ?? []) + ["OPTIONS"]).joined(separator: ", ")
        default: "POST, OPTIONS"
        }
    }

    private func demand(_ method: Method, of call: Call, at endpoint: Endpoint, _ form: HostedForm) throws(Failure) {
        let actual = call.head.method
        guard actual == method || method == .get && actual == .head else {
            throw .fault(.methodNotAllowed(allowed: methods(of: endpoint, form)))
        }
    }

    /// Lets the call pass if everybody may make it, or its credential, which is returned, has the scope.
    func authorize(
        _ call: Call, _ caller: FormSchema.Caller, _ scope: Scope
    ) async throws(Failure) -> Credential? {
        // Without sessions, `session` asks for a credential too.
        guard caller != .public else { return nil }
        return try await authenticator.authorize(call, scope)
    }

    /// All forms, in short.
    func list(_ call: Call, _ table: FormTable) throws(Failure) -> Answer {
        switch call.head.method {
        case .get, .head: return .json(200, table.summary)
        case .options: return Answer(status: 204, headers: [("Allow", methods(of: .formList, nil))])
        default: throw .fault(.methodNotAllowed(allowed: methods(of: .formList, nil)))
        }
    }

    /// One form as a client needs it to draw it. It changes only with the configuration: clients may ask again for free.
    private func describe(_ call: Call, _ form: HostedForm) -> Answer {
        let tag = ("ETag", form.entityTag)
        let cache = ("Cache-Control", "no-cache")
        if EntityTags.contain(form.entityTag, in: call.head.all("If-None-Match")) {
            return Answer(status: 304, headers: [tag, cache])
        }
        let headers = [("Content-Type", "application/json"), tag, cache, ("X-Content-Type-Options", "nosniff")]
        return Answer(status: 200, headers: headers, body: form.description)
    }
}
