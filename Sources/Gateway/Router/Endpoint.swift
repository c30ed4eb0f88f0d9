import HTTPWire

/// What a path names.
enum Endpoint {
    case formList
    case form(id: String)
    case validate(form: String)
    case aliases(form: String)
    case tokens(form: String)
    /// `path` as it stands in the target, still encoded.
    case send(form: String, path: String)
    /// `path` likewise.
    case route(name: String, path: String)
    case vaultAliases
    case vaultAlias(String)
    case vaultDeletion
    case vaultTokens
    case unknown(Plane)

    /// Whose rules of answering apply.
    enum Plane {
        case client
        case vault
    }

    /// Matches a path by its segments; names in it are percent-decoded once.
    init(path: String, method: Method) {
        let reader = PathReader(path)
        if let rest = reader.rest(after: "/v1/forms") {
            self = Self.form(reader, rest)
        } else if let rest = reader.rest(after: "/v1/routes") {
            self = Self.route(reader, rest)
        } else if let rest = reader.rest(after: "/aliases") {
            self = Self.vault(reader, rest, method: method)
        } else if let rest = reader.rest(after: "/tokens") {
            self = rest == reader.count ? .vaultTokens : .unknown(.vault)
        } else {
            self = .unknown(.client)
        }
    }

    private static func form(_ reader: PathReader, _ rest: Int) -> Endpoint {
        guard rest < reader.count else { return .formList }
        let (id, end) = reader.segment(at: rest)
        guard let id else { return .unknown(.client) }
        guard end < reader.count else { return .form(id: id) }
        if reader.ends(in: "/validate", at: end) { return .validate(form: id) }
        if reader.ends(in: "/aliases", at: end) { return .aliases(form: id) }
        if reader.ends(in: "/tokens", at: end) { return .tokens(form: id) }
        guard let path = reader.rest(after: "/send", at: end) else { return .unknown(.client) }
        return .send(form: id, path: reader.text(from: path))
    }

    private static func route(_ reader: PathReader, _ rest: Int) -> Endpoint {
        guard rest < reader.count else { return .unknown(.client) }
        let (name, end) = reader.segment(at: rest)
        guard let name else { return .unknown(.client) }
        return .route(name: name, path: reader.text(from: end))
    }

    private static func vault(_ reader: PathReader, _ rest: Int, method: Method) -> Endpoint {
        guard rest < reader.count else { return .vaultAliases }
        let (alias, end) = reader.segment(at: rest)
        guard let alias, !alias.isEmpty, end == reader.count else { return .unknown(.vault) }
        // The one name that is not an alias, but only for POST.
        return alias == "delete" && method == .post ? .vaultDeletion : .vaultAlias(alias)
    }

    var plane: Plane {
        switch self {
        case .vaultAliases, .vaultAlias, .vaultDeletion, .vaultTokens, .unknown(.vault): .vault
        default: .client
        }
    }

    /// Id of the form that is meant, whether there is one or not; nil if the path names none.
    var formID: String? {
        switch self {
        case .form(let id), .validate(let id), .aliases(let id), .tokens(let id), .send(let id, _): id
        default: nil
        }
    }

    /// What kind of call this is, for logs and metrics.
    var kind: EndpointKind {
        switch self {
        case .formList: .formList
        case .form: .form
        case .validate: .validate
        case .aliases: .aliases
        case .tokens: .tokens
        case .send: .send
        case .route: .route
        case .vaultAliases: .vaultAliases
        case .vaultAlias: .vaultAlias
        case .vaultDeletion: .vaultDeletion
        case .vaultTokens: .vaultTokens
        case .unknown: .unknown
        }
    }
}
