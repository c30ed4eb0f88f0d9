import FormSchema
import Vault

/// What the forms of a process may refer to and how large they may be.
struct FormContext: Sendable {
    /// Nil where a form may name none.
    let routes: [String: RouteKind]?
    let aliasFallback: AliasFallback
    let maxItems: Int
    /// Bytes of a request's body; nil where there is no request.
    let bodyLimit: Int?
    /// Steps that one match of a pattern may take.
    var patternMatch = ServerConfiguration.Limits().patternMatch

    var loadContext: LoadContext {
        var formats: [String: @Sendable (String) -> Bool] = [:]
        for format in AliasFormat.allCases {
            // With the fallback every value gets an alias of some shape.
            let takesAll = aliasFallback == .uuid
            formats[format.rawValue] = { takesAll || format.accepts($0) }
        }
        return LoadContext(
            aliasFormats: formats, routes: routes, maximumAliasItems: maxItems, bodyLimit: bodyLimit,
            patternMatchLimit: UInt32(clamping: patternMatch), timeZoneExists: ZoneClock.exists)
    }
}

extension FormContext {
    /// The context of a form that stands alone, without a server around it: the vault's defaults, and no routes.
    static let standalone = FormContext(
        routes: nil, aliasFallback: .none, maxItems: VaultSettings().maxItems, bodyLimit: nil)
}
