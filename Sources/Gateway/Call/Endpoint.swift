import HTTPWire

/// What a request calls, by its path and method.
enum Endpoint {
    case formList
    case form(id: String)
    case validate(form: String)
    case aliases(form: String)
    case tokens(form: String)
    /// - Parameter path: as in the target, still percent-encoded.
    case send(form: String, path: String)
    /// A reveal route. - Parameter path: as in the target, still percent-encoded.
    case revealRoute(name: String, path: String)
    /// A file for browsers. - Parameter version: `v1`, or the hash of the build.
    case elements(version: String, file: String)
    /// The demo, or one of its files.
    case demo(file: String)
    case vaultAliases
    case vaultAlias(String)
    case vaultDeletion
    case vaultTokens
    /// The erasure of all values with a classifier.
    case erasure(String)
    case sessions
    case currentSession
    /// The token endpoint. - Parameter isVGS: under the path that clients of VGS use.
    case token(isVGS: Bool)
    /// The OpenAPI document.
    case openAPI
    /// The page that describes the calls, or one of its files.
    case docs(file: String)
    case unknown(Plane)

    /// Which form error bodies have.
    enum Plane {
        case client
        case vault
        /// That of OAuth 2.0 (RFC 6749 section 5.2).
        case token
    }

    /// Matches a path by its segments; names in it are percent-decoded once.
    init(path: String, method: Method) {
        let reader = PathReader(path)
        if let rest = reader.rest(after: "/v1/forms") {
            self = Self.form(reader, rest)
        } else if let rest = reader.rest(after: "/v1/routes") {
            self = Self.revealRoute(reader, rest)
        } else if let rest = reader.rest(after: "/aliases") {
            self = Self.vault(reader, rest, method: method)
        } else if let rest = reader.rest(after: "/tokens") {
            self = rest == reader.count ? .vaultTokens : .unknown(.vault)
        } else if let rest = reader.rest(after: "/erasures") {
            self = Self.erasure(reader, rest)
        } else if let rest = reader.rest(after: "/elements") {
            self = Self.elements(reader, rest)
        } else if let rest = reader.rest(after: "/demo") {
            self = Self.demo(reader, rest)
        } else if let rest = reader.rest(after: "/docs") {
            self = Self.docs(reader, rest)
        } else {
            self = Self.single(path)
        }
    }

    /// Paths without variable parts.
    private static func single(_ path: String) -> Endpoint {
        switch path {
        case Pattern.openAPI.text: .openAPI
        case Pattern.sessions.text: .sessions
        case Pattern.currentSession.text: .currentSession
        case Pattern.token.text: .token(isVGS: false)
        case Pattern.vgsToken.text: .token(isVGS: true)
        default: .unknown(.client)
        }
    }

    private static func form(_ reader: PathReader, _ rest: Int) -> Endpoint {
        guard rest < reader.count else { return .formList }
        let (id, end) = reader.segment(at: rest)
        guard let id else { return .unknown(.client) }
        guard end < reader.count else { return .form(id: id) }
        if reader.ends(with: "/validate", at: end) { return .validate(form: id) }
        if reader.ends(with: "/aliases", at: end) { return .aliases(form: id) }
        if reader.ends(with: "/tokens", at: end) { return .tokens(form: id) }
        guard let path = reader.rest(after: "/send", at: end) else { return .unknown(.client) }
        return .send(form: id, path: reader.text(from: path))
    }

    private static func revealRoute(_ reader: PathReader, _ rest: Int) -> Endpoint {
        guard rest < reader.count else { return .unknown(.client) }
        let (name, end) = reader.segment(at: rest)
        guard let name else { return .unknown(.client) }
        return .revealRoute(name: name, path: reader.text(from: end))
    }

    private static func elements(_ reader: PathReader, _ rest: Int) -> Endpoint {
        guard rest < reader.count else { return .unknown(.client) }
        let (version, end) = reader.segment(at: rest)
        guard let version, end < reader.count else { return .unknown(.client) }
        let (file, last) = reader.segment(at: end)
        guard let file, last == reader.count else { return .unknown(.client) }
        return .elements(version: version, file: file)
    }

    private static func demo(_ reader: PathReader, _ rest: Int) -> Endpoint {
        guard rest < reader.count else { return .demo(file: "demo.html") }
        let (file, end) = reader.segment(at: rest)
        guard let file, end == reader.count else { return .unknown(.client) }
        return .demo(file: file)
    }

    private static func docs(_ reader: PathReader, _ rest: Int) -> Endpoint {
        guard rest < reader.count else { return .docs(file: "docs.html") }
        let (file, end) = reader.segment(at: rest)
        guard let file, end == reader.count else { return .unknown(.client) }
        return .docs(file: file.isEmpty ? "docs.html" : file)
    }

    private static func vault(_ reader: PathReader, _ rest: Int, method: Method) -> Endpoint {
        guard rest < reader.count else { return .vaultAliases }
        let (alias, end) = reader.segment(at: rest)
        guard let alias, !alias.isEmpty, end == reader.count else { return .unknown(.vault) }
        // For GET, PUT and DELETE the segment `delete` is an alias.
        return alias == "delete" && (method == .post || method == .options) ? .vaultDeletion : .vaultAlias(alias)
    }

    private static func erasure(_ reader: PathReader, _ rest: Int) -> Endpoint {
        guard rest < reader.count else { return .unknown(.vault) }
        let (id, end) = reader.segment(at: rest)
        guard let id, !id.isEmpty, end == reader.count else { return .unknown(.vault) }
        return .erasure(id)
    }

    var plane: Plane {
        switch self {
        case .vaultAliases, .vaultAlias, .vaultDeletion, .vaultTokens, .erasure, .unknown(.vault): .vault
        case .token: .token
        default: .client
        }
    }

    /// Whether pages of other origins may call it: the client plane, without what is only served and without what servers call.
    var isForPages: Bool {
        switch self {
        case .formList, .form, .validate, .aliases, .tokens, .send, .currentSession, .unknown(.client): true
        case .revealRoute, .vaultAliases, .vaultAlias, .vaultDeletion, .vaultTokens, .erasure, .elements, .demo,
            .sessions, .token, .openAPI, .docs, .unknown:
            false
        }
    }

    /// Id of the form that the path names, hosted or not; nil if it names none.
    var formID: String? {
        switch self {
        case .form(let id), .validate(let id), .aliases(let id), .tokens(let id), .send(let id, _): id
        default: nil
        }
    }

    /// The URL pattern that stands for this endpoint in metrics (label `route`) and in the access log (key `route`).
    var pattern: Pattern {
        switch self {
        case .formList: .formList
        case .form: .form
        case .validate: .validate
        case .aliases: .aliases
        case .tokens: .tokens
        case .send: .send
        case .revealRoute: .revealRoute
        case .elements: .elements
        case .demo: .demo
        case .vaultAliases: .vaultAliases
        case .vaultAlias: .vaultAlias
        case .vaultDeletion: .vaultDeletion
        case .vaultTokens: .vaultTokens
        case .erasure: .erasure
        case .openAPI: .openAPI
        case .docs: .docs
        case .sessions: .sessions
        case .currentSession: .currentSession
        case .token(let isVGS): isVGS ? .vgsToken : .token
        case .unknown: .unknown
        }
    }
}
