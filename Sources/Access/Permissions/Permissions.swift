import JSON

/// What a credential, an access token or a token of an identity provider may do, wherever it is used.
public struct Permissions: Sendable {
    /// What it may do at all.
    public var scopes: ScopeSet
    /// Forms that it may use.
    public var forms: NameSet
    /// Reveal routes that it may use.
    public var routes: NameSet
    /// It reveals, changes and deletes only values that have one of these classifiers; nil for all values.
    public var classifiers: [String]?
    /// Networks that requests must come from; nil for anywhere.
    public var addresses: [Network]?
    /// Unix seconds from which on it is refused; nil for never.
    public var expiresAt: Int64?

    /// These scopes, for all forms and routes unless others are given.
    public init(
        scopes: ScopeSet, forms: NameSet = .all, routes: NameSet = .all, classifiers: [String]? = nil,
        addresses: [Network]? = nil, expiresAt: Int64? = nil
    ) {
        self.scopes = scopes
        self.forms = forms
        self.routes = routes
        self.classifiers = classifiers
        self.addresses = addresses
        self.expiresAt = expiresAt
    }

    /// Whether a value with these classifiers may be revealed, changed or deleted. A value without any is out of
    /// reach of a credential that is limited to some.
    public func reaches(classifiers others: [String]) -> Bool {
        guard let classifiers else { return true }
        return others.contains { other in classifiers.contains { $0.hasSameBytes(as: other) } }
    }
}
