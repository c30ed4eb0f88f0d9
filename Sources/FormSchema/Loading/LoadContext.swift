/// What a form may refer to: the server's alias formats, routes and limits. The loader depends on nothing else.
public struct LoadContext: Sendable {
    /// By name: whether the format accepts a value.
    public let aliasFormats: [String: @Sendable (String) -> Bool]
    /// Formats whose aliases are few for some values, and whether they are many enough for one: VOLATILE values get others only where a
    /// single process makes them. By name; empty where any alias can be made.
    public let narrowFormats: [String: @Sendable (String) -> Bool]
    /// The kind of each route; nil where a form may not name one.
    public let routes: [String: RouteKind]?
    /// The most items of one request to the vault.
    public let maximumAliasItems: Int
    /// The most bytes of a submission; nil for no limit.
    public let bodyLimit: Int?
    /// The most steps of one match (PCRE2's match limit).
    public let patternMatchLimit: UInt32
    /// Whether there is an IANA zone of that name.
    public let timeZoneExists: @Sendable (String) -> Bool
    /// Whether the form is one that a server described to a client, in which `isServerOnly` stands in place of rules and patterns
    /// (`docs/reference/browser.md` section 5). A form file may not hold that key.
    let isClient: Bool
    /// Whether an operation that `access` does not name is for credentials alone, whatever its default: a file that lost its end must not
    /// open what it had closed.
    let closesUnnamedAccess: Bool
    /// Whether the vault can be told when a value ends (`tokenization.ttl`).
    let endsValues: Bool

    public init(
        aliasFormats: [String: @Sendable (String) -> Bool], routes: [String: RouteKind]?, maximumAliasItems: Int,
        bodyLimit: Int?, patternMatchLimit: UInt32, timeZoneExists: @escaping @Sendable (String) -> Bool,
        isClient: Bool = false, closesUnnamedAccess: Bool = false, endsValues: Bool = true,
        narrowFormats: [String: @Sendable (String) -> Bool] = [:]
    ) {
        self.aliasFormats = aliasFormats
        self.narrowFormats = narrowFormats
        self.routes = routes
        self.maximumAliasItems = maximumAliasItems
        self.bodyLimit = bodyLimit
        self.patternMatchLimit = patternMatchLimit
        self.timeZoneExists = timeZoneExists
        self.isClient = isClient
        self.closesUnnamedAccess = closesUnnamedAccess
        self.endsValues = endsValues
    }
}

/// What a route leads to (`docs/reference/proxy.md` section 1).
public enum RouteKind: String, Sendable, CaseIterable {
    case echo
    case upstream
    case vgs
    case reveal

    /// The kind of destination of a form that is sent there.
    public var destination: Destination { self == .vgs ? .vgs : .upstream }
}
