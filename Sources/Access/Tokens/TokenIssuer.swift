import JSON

/// An identity provider whose tokens are taken: one entry of `auth.jwt` (`docs/reference/access.md` section 3).
public struct TokenIssuer: Sendable {
    /// How a token's scopes are found.
    public struct ScopeClaim: Sendable {
        /// The claim: scope names between spaces, or an array of them. A name with dots that no claim has is a path
        /// into objects, such as `realm_access.roles`.
        public var claim: String
        /// What the provider's names mean here; nil where it uses the names of this gateway.
        public var map: [String: ScopeSet]?

        /// The claim that names scopes, and what its names mean; nil: they are scopes themselves.
        public init(claim: String = "scope", map: [String: ScopeSet]? = nil) {
            self.claim = claim
            self.map = map
        }
    }

    /// `iss`, compared byte for byte (RFC 7519 section 4.1.1).
    public var issuer: String
    /// One of the token's `aud` must be this.
    public var audience: String
    /// Where its tokens name scopes.
    public var scopes: ScopeClaim
    /// The claim that has names or patterns of forms; nil for all forms. A token that lacks it may use no form.
    public var formsClaim: String?
    /// Seconds by which the provider's clock may differ.
    public var clockSkew: Int64

    /// An identity provider of the configuration.
    public init(
        issuer: String, audience: String, scopes: ScopeClaim = ScopeClaim(), formsClaim: String? = nil,
        clockSkew: Int64 = 60
    ) {
        self.issuer = issuer
        self.audience = audience
        self.scopes = scopes
        self.formsClaim = formsClaim
        self.clockSkew = min(max(clockSkew, 0), 600)
    }

    /// The permissions of verified claims, which end at `expiresAt`.
    func permissions(_ claims: TokenClaims, until expiresAt: Int64) -> Permissions {
        let names = claims.names(scopes.claim) ?? []
        let granted: ScopeSet
        if let map = scopes.map {
            granted = names.reduce(into: []) { $0.formUnion(map[$1] ?? []) }
        } else {
            granted = ScopeSet(known: names)
        }
        var forms = NameSet.all
        if let formsClaim {
            forms = .matching((claims.names(formsClaim) ?? []).compactMap { NamePattern($0) })
        }
        // The clock skew holds until the end: what verifies is also let in.
        let end = expiresAt.addingReportingOverflow(clockSkew)
        return Permissions(scopes: granted, forms: forms, expiresAt: end.overflow ? .max : end.partialValue)
    }
}
