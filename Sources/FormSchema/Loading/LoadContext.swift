/// What a form may refer to: the server's alias formats, routes and limits. The loader asks nothing else of the world.
public struct LoadContext: Sendable {
    /// By name: whether the format takes a value.
    public let aliasFormats: [String: @Sendable (String) -> Bool]
    /// The kind of each route; nil where a form may name none.
    public let routes: [String: RouteKind]?
    /// Most items that one request to the vault may hold.
    public let maximumAliasItems: Int
    /// Most bytes that a submission may have; nil for no limit.
    public let bodyLimit: Int?
    /// How much work one match may do (PCRE2's match limit).
    public let patternMatchLimit: UInt32
    /// Whether there is an IANA zone of that name.
    public let timeZoneExists: @Sendable (String) -> Bool

    public init(
        aliasFormats: [String: @Sendable (String) -> Bool], routes: [String: RouteKind]?, maximumAliasItems: Int,
        bodyLimit: Int?, patternMatchLimit: UInt32, timeZoneExists: @escaping @Sendable (String) -> Bool
    ) {
        self.aliasFormats = aliasFormats
        self.routes = routes
        self.maximumAliasItems = maximumAliasItems
        self.bodyLimit = bodyLimit
        self.patternMatchLimit = patternMatchLimit
        self.timeZoneExists = timeZoneExists
    }
}

/// What stands behind a route (`proxy.md` section 1).
public enum RouteKind: String, Sendable, CaseIterable {
    case echo
    case upstream
    case vgs
    case reveal

    /// Where a form goes that is sent there.
    public var destination: Destination { self == .vgs ? .vault : .upstream }
}
