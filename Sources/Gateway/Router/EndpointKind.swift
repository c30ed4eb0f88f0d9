/// The kinds of calls, each with the pattern that stands for it in logs and metrics: a path itself may hold what somebody
/// submitted.
enum EndpointKind: String, CaseIterable {
    case formList = "/v1/forms"
    case form = "/v1/forms/{form}"
    case validate = "/v1/forms/{form}/validate"
    case aliases = "/v1/forms/{form}/aliases"
    case tokens = "/v1/forms/{form}/tokens"
    case send = "/v1/forms/{form}/send/{path}"
    case route = "/v1/routes/{route}/{path}"
    case vaultAliases = "/aliases"
    case vaultAlias = "/aliases/{alias}"
    case vaultDeletion = "/aliases/delete"
    case vaultTokens = "/tokens"
    case unknown = "-"

    /// Where this kind stands among all, for tables of counters.
    var index: Int {
        switch self {
        case .formList: 0
        case .form: 1
        case .validate: 2
        case .aliases: 3
        case .tokens: 4
        case .send: 5
        case .route: 6
        case .vaultAliases: 7
        case .vaultAlias: 8
        case .vaultDeletion: 9
        case .vaultTokens: 10
        case .unknown: 11
        }
    }
}
