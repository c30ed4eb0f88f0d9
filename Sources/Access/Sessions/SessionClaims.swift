import JSON

/// What a session allows, as its token says (`docs/reference/access.md` section 2).
///
/// A session with a `form` is what a browser or app holds. One without is an access token of the token endpoint: it
/// stands for its credential in all that `scopes` name.
public struct SessionClaims: Sendable, Equatable {
    /// Its name in logs and in the record of uses and endings.
    public var id: SessionID
    /// The name of the credential that made it, or the `sub` of a token of an identity provider, empty without one. The session ends
    /// with its credential, and may never do more than it.
    public var credential: String
    /// The `iss` of the token that made it; nil if a credential did.
    public var issuer: String?
    /// The only form that it is for; nil for an access token.
    public var form: String?
    /// What it may do with the form; empty for an access token.
    public var operations: Set<FormOperation>
    /// Those of ``operations`` whose scope the maker lacked: they hold only while the form leaves them to everyone.
    public var publicOnly: Set<FormOperation> = []
    /// Of an access token; empty for a form's session.
    public var scopes: ScopeSet
    /// The only `Origin` whose requests are taken; nil for any, and none.
    public var origin: String?
    /// The only upstream paths of `send`; nil for any.
    public var paths: [String]?
    /// How many requests it is good for, over all processes; nil for any number.
    public var maxRequests: Int?
    /// Unix seconds.
    public var issuedAt: Int64
    /// Unix seconds; from this second on the session is refused.
    public var expiresAt: Int64
}

extension SessionClaims {
    /// In whose share the session counts: a credential's, or that of a provider's subject, which may have a credential's name.
    public var owner: String { issuer.map { "\($0)\n\(credential)" } ?? credential }

    /// Seconds that an access token of the token endpoint lasts (`docs/reference/access.md` section 3).
    public static let accessTokenLifetime: Int64 = 1_200

    /// Bounds that hold for sessions made here, checked again when one is read: a key that leaks into another
    /// program's hands must not turn into unbounded work here.
    enum Limit {
        static let text = 256
        static let paths = 16
        static let requests = 1_000_000
        /// 24 hours.
        static let lifetime: Int64 = 86_400
        /// The end of the year 9999 in Unix seconds.
        static let latest: Int64 = 253_402_300_799
        /// Bytes of a whole token: 16 paths of 256 bytes, each of which JSON may escape as two, and the other claims, all in base64url.
        static let token = 16_384
    }

    /// The claims as compact JSON (RFC 7519 section 4 for the registered names). Absent means not limited.
    func payload() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("jti")
        json.string(id.description)
        json.key("credential")
        json.string(credential)
        if let issuer {
            json.key("issuer")
            json.string(issuer)
        }
        if let form {
            json.key("form")
            json.string(form)
            json.key("operations")
            json.strings(FormOperation.names(operations))
            if !publicOnly.isEmpty {
                json.key("publicOnly")
                json.strings(FormOperation.names(publicOnly))
            }
        } else {
            json.key("scope")
            json.string(scopes.text)
        }
        if let origin {
            json.key("origin")
            json.string(origin)
        }
        if let paths {
            json.key("paths")
            json.strings(paths)
        }
        if let maxRequests {
            json.key("maxRequests")
            json.number(maxRequests)
        }
        json.key("iat")
        json.number(Int(issuedAt))
        json.key("exp")
        json.number(Int(expiresAt))
        json.endObject()
        return json.bytes
    }

    /// The claims of a payload whose signature has been verified. Nil if a claim is missing, of the wrong type, out
    /// of its bounds or not known: an older process must not overlook a limit that a newer one has put in.
    init?(payload: [UInt8]) {
        guard let object = try? JSONValue.parse(payload, maximumDepth: 2).object else { return nil }
        let known: Set<String> = [
            "jti", "credential", "issuer", "form", "operations", "publicOnly", "scope", "origin", "paths",
            "maxRequests", "iat", "exp",
        ]
        guard object.members.allSatisfy({ known.contains($0.key) }),
            let id = object["jti"]?.string.flatMap({ SessionID($0) }),
            let credential = object["credential"]?.string, credential.utf8.count <= Limit.text,
            // A provider's token may lack `sub` (RFC 7519 section 4.1.2); a credential of the configuration has a name.
            !credential.isEmpty || object["issuer"] != nil,
            let issuedAt = object["iat"]?.int64, let expiresAt = object["exp"]?.int64, issuedAt >= 0,
            expiresAt > issuedAt, expiresAt <= Limit.latest, expiresAt - issuedAt <= Limit.lifetime
        else { return nil }
        self.id = id
        self.credential = credential
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        if let issuer = object["issuer"] {
            guard let issuer = issuer.string, Self.isText(issuer) else { return nil }
            self.issuer = issuer
        }
        guard let rights = Self.rights(of: object) else { return nil }
        (form, operations, scopes) = rights
        if let names = object["publicOnly"] {
            guard let only = names.strings.flatMap({ FormOperation.set($0) }), only.isSubset(of: operations) else {
                return nil
            }
            publicOnly = only
        }
        if let origin = object["origin"] {
            guard let origin = origin.string, Self.isText(origin) else { return nil }
            self.origin = origin
        }
        if let paths = object["paths"] {
            guard let paths = paths.strings, Self.arePaths(paths) else { return nil }
            self.paths = paths
        }
        if let maxRequests = object["maxRequests"] {
            guard let count = maxRequests.int64, count >= 1, count <= Int64(Limit.requests) else { return nil }
            self.maxRequests = Int(count)
        }
    }

    /// What it allows: operations of a form, or scopes. Nil if it has both or neither, or one that is not known.
    private static func rights(
        of object: JSONObject
    ) -> (form: String?, operations: Set<FormOperation>, scopes: ScopeSet)? {
        if let form = object["form"] {
            guard let form = form.string, isText(form), object["scope"] == nil,
                let operations = object["operations"]?.strings.flatMap({ FormOperation.set($0) }), !operations.isEmpty
            else { return nil }
            return (form, operations, [])
        }
        guard let scope = object["scope"]?.string, object["operations"] == nil else { return nil }
        let names = scope.split(separator: " ")
        let scopes = ScopeSet(known: names)
        return scopes.scopes.count == names.count ? (nil, [], scopes) : nil
    }

    static func isText(_ text: String) -> Bool { (1...Limit.text).contains(text.utf8.count) }

    static func arePaths(_ paths: [String]) -> Bool {
        (1...Limit.paths).contains(paths.count)
            && paths.allSatisfy { isText($0) && $0.utf8.first == UInt8(ascii: "/") }
    }
}
