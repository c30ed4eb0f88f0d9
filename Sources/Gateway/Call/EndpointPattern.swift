extension Endpoint {
    /// URL patterns. Logs and metrics get these and never the path itself, which may contain submitted text. The raw value is the index
    /// into tables of counters.
    enum Pattern: Int, CaseIterable {
        case formList, form, validate, aliases, tokens, send
        case revealRoute
        case elements, demo
        case vaultAliases, vaultAlias, vaultDeletion, vaultTokens
        case erasure
        case openAPI, docs
        case sessions, currentSession
        case token, vgsToken
        case unknown

        /// As logs and metrics write it.
        var text: String {
            switch self {
            case .formList: "/v1/forms"
            case .form: "/v1/forms/{form}"
            case .validate: "/v1/forms/{form}/validate"
            case .aliases: "/v1/forms/{form}/aliases"
            case .tokens: "/v1/forms/{form}/tokens"
            case .send: "/v1/forms/{form}/send/{path}"
            case .revealRoute: "/v1/routes/{route}/{path}"
            case .elements: "/elements/{version}/{file}"
            case .demo: "/demo"
            case .vaultAliases: "/aliases"
            case .vaultAlias: "/aliases/{alias}"
            case .vaultDeletion: "/aliases/delete"
            case .vaultTokens: "/tokens"
            case .erasure: "/erasures/{id}"
            case .openAPI: "/openapi.json"
            case .docs: "/docs"
            case .sessions: "/v1/sessions"
            case .currentSession: "/v1/sessions/current"
            case .token: "/oauth/token"
            case .vgsToken: "/auth/realms/vgs/protocol/openid-connect/token"
            case .unknown: "-"
            }
        }
    }
}
