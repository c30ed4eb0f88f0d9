public import FormSchema

/// What the forms of a process may refer to and how large they may be.
public struct FormContext: Sendable {
    let dependencies: LoaderDependencies
    /// Nil where a form may name none.
    public let routes: [String: RouteKind]?
    let aliasFallback: VaultSettings.AliasFallback
    let maxItems: Int
    /// Bytes of a request's body; nil where there is no request.
    let bodyLimit: Int?
    /// Steps that one match of a pattern may take.
    var patternMatch = ServerSettings.Limits().patternMatch
    /// Whether every form must say who may call it.
    var demandsAccess = false
    /// Whether a form is closed to everyone whom it does not name.
    var closesUnnamedAccess = false
    /// Whether aliases are made by the vault of another service.
    var isVaultRemote = false
    /// Whether VOLATILE values get aliases of formats that have few, or UUIDs instead.
    var makesNarrowVolatiles = true
    /// Routes that ask for compressed responses and leave to their forms whether these are searched.
    var compressedRoutes: Set<String> = []

    /// What the loader of forms needs.
    public var loadContext: LoadContext {
        var formats: [String: @Sendable (String) -> Bool] = [:]
        // With the fallback every value gets an alias of some shape.
        let takesAll = aliasFallback == .uuid
        for format in dependencies.vault.aliasFormats { formats[format.name] = { takesAll || format.accepts($0) } }
        return LoadContext(
            aliasFormats: formats, routes: routes, maximumAliasItems: maxItems, bodyLimit: bodyLimit,
            patternMatchLimit: UInt32(clamping: patternMatch), timeZoneExists: dependencies.timeZoneExists,
            closesUnnamedAccess: closesUnnamedAccess, endsValues: !isVaultRemote,
            narrowFormats: makesNarrowVolatiles ? [:] : dependencies.vault.narrowFormats)
    }
}

extension FormContext {
    /// The context of a form that stands alone, without a server around it: the vault's defaults, and no routes.
    public static func standalone(_ dependencies: LoaderDependencies) -> FormContext {
        FormContext(
            dependencies: dependencies, routes: nil, aliasFallback: .none, maxItems: VaultSettings().maxItems,
            bodyLimit: nil)
    }
}
