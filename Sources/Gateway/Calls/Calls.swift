import FormSchema

/// The calls of clients, each at its endpoint.
struct Calls: Sendable {
    let forms: FormCalls
    let vault: VaultCalls
    let routes: RouteCalls
    let elements: ElementCalls
    let sessions: SessionCalls
    let accessTokens: AccessTokenCalls

    /// Calls the function of the endpoint.
    ///
    /// - Parameters:
    ///   - form: the one that the endpoint names, if it is hosted.
    ///   - table: the forms that are hosted.
    func respond(to call: Call, of form: HostedForm?, _ table: FormTable) async throws(CallError) -> CallResponse {
        switch (call.endpoint, call.endpoint.plane) {
        case (.revealRoute(let name, let path), _):
            return try await routes.respond(to: call, route: name, path: path)
        case (.elements(let version, let file), _):
            return try elements.respond(to: call, version: version, file: file) { id in
                table[id]?.schema.allowedOrigins
            }
        case (.demo(let file), _): return try elements.demo(call, file: file)
        case (.openAPI, _): return try describe(call, table)
        case (.docs(let file), _): return try elements.docs(call, file: file, isServed: table.openAPI != nil)
        case (.sessions, _): return try await sessions.create(call, table)
        case (.currentSession, _): return try await sessions.end(call)
        case (_, .token): return try await accessTokens.respond(to: call)
        case (.formList, _): return try forms.list(call, table)
        case (_, .client): return try await forms.respond(to: call, of: form)
        case (_, .vault): return try await vault.respond(to: call)
        }
    }

    /// `GET /openapi.json`: the calls of this configuration (`docs.enabled`).
    private func describe(_ call: Call, _ table: FormTable) throws(CallError) -> CallResponse {
        guard let document = table.openAPI else { throw .notFound("there is nothing at this path") }
        try call.requireMethod()
        return .json(200, document)
    }
}
