/// What a credential may do, by the names of the configuration (`docs/reference/vault-api.md` section 1,
/// `docs/reference/access.md` section 1).
public enum Scope: String, Sendable, CaseIterable {
    case createAliases = "aliases:create"
    case revealAliases = "aliases:reveal"
    case updateAliases = "aliases:update"
    case deleteAliases = "aliases:delete"
    case sendForms = "forms:send"
    case sendRoutes = "routes:send"
    case createSessions = "sessions:create"
    case readOperations = "operations:read"
}

/// A set of scopes in one byte, so that checking one for each request costs one instruction.
public struct ScopeSet: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The set of these.
    public init(_ scopes: some Sequence<Scope>) {
        self.init(scopes.map { ScopeSet($0) })
    }

    /// One alone.
    public init(_ scope: Scope) {
        switch scope {
        case .createAliases: self.init(rawValue: 1 << 0)
        case .revealAliases: self.init(rawValue: 1 << 1)
        case .updateAliases: self.init(rawValue: 1 << 2)
        case .deleteAliases: self.init(rawValue: 1 << 3)
        case .sendForms: self.init(rawValue: 1 << 4)
        case .sendRoutes: self.init(rawValue: 1 << 5)
        case .createSessions: self.init(rawValue: 1 << 6)
        case .readOperations: self.init(rawValue: 1 << 7)
        }
    }

    /// All there are.
    public static let all = ScopeSet(rawValue: .max)

    /// Whether it is one of them.
    public func contains(_ scope: Scope) -> Bool { isSuperset(of: ScopeSet(scope)) }

    /// The scopes in the order in which they are declared.
    public var scopes: [Scope] { Scope.allCases.filter { contains($0) } }
}

extension ScopeSet {
    /// Names between single spaces, as in the `scope` of OAuth 2.0 (RFC 6749 section 3.3).
    public var text: String { scopes.map(\.rawValue).joined(separator: " ") }

    /// The known scopes among `names`; others mean something to another program.
    public init(known names: some Sequence<some StringProtocol>) {
        self.init(names.compactMap { Scope(rawValue: String($0)) })
    }
}
