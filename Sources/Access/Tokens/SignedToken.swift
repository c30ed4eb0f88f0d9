import Crypto
import JSON

/// A JWT of an identity provider, taken apart but not verified: enough to find the issuer and the key that it must be
/// verified with.
public struct SignedToken: Sendable {
    /// Bytes of a token. Providers that list a hundred groups stay below.
    public static let maximumSize = 16_384
    /// Keys that are tried for one token. Several fit where it names none, or where several have the name.
    static let triedKeys = 4

    private let signingInput: [UInt8]
    private let signature: [UInt8]
    private let header: JOSEHeader
    private let claims: TokenClaims

    /// Takes apart a Bearer token. Nothing that it says may be believed before ``verify(with:for:at:)``.
    public init(_ token: [UInt8]) throws(TokenRefusal) {
        guard let parts = CompactToken(token, maximumSize: Self.maximumSize) else { throw .malformed }
        header = try JOSEHeader(encoded: parts.encodedHeader)
        guard let payload = CompactToken.decode(parts.encodedPayload),
            let signature = CompactToken.decode(parts.encodedSignature)
        else { throw .malformed }
        claims = try TokenClaims(payload: payload)
        self.signature = signature
        signingInput = Array(parts.signingInput)
    }

    /// Whether a Bearer token has the shape of a JWT: three parts. Secrets that have it are looked up first.
    public static func isLikely(_ token: [UInt8]) -> Bool {
        CompactToken(token, maximumSize: maximumSize) != nil && token.starts(with: Array("eyJ".utf8))
    }

    /// The place of the issuer that the token names, to choose its keys by. One provider may stand there several times, for several
    /// audiences: the first of them that the token is for, or else the first.
    public func index(among issuers: [TokenIssuer]) throws(TokenRefusal) -> Int {
        let named = issuers.indices.filter { issuers[$0].issuer.hasSameBytes(as: claims.issuer) }
        let meant = named.first { index in
            claims.audiences.contains { $0.hasSameBytes(as: issuers[index].audience) }
        }
        guard let index = meant ?? named.first else { throw .unknownIssuer }
        return index
    }

    /// The `kid` for ``KeyCache/decide(keyID:at:)``.
    public var keyID: String? { header.keyID }

    /// The claim for which ``verify(with:for:at:)`` throws `badClaim`.
    public var badClaim: TokenClaim? { claims.bad }

    /// Verifies signature and claims (RFC 7519 section 7.2), and returns who the token speaks for and what it may do.
    ///
    /// - Parameter now: Unix seconds.
    public func verify(
        with keys: JSONWebKeySet, for issuer: TokenIssuer, at now: Int64
    ) throws(TokenRefusal) -> (subject: TokenSubject, permissions: Permissions) {
        // Cheap checks first. The claims come after the signature: a caller that cannot sign learns nothing about them.
        guard issuer.issuer.hasSameBytes(as: claims.issuer) else { throw .unknownIssuer }
        let candidates = keys.candidates(for: header)
        guard !candidates.isEmpty else { throw .unknownKey }
        let tried = candidates.prefix(Self.triedKeys)
        guard tried.contains(where: { $0.key.verifies(signature, over: signingInput, header.algorithm) }) else {
            throw tried.count < candidates.count ? .tooManyKeys : .badSignature
        }
        guard claims.bad == nil else { throw .badClaim }
        guard claims.audiences.contains(where: { $0.hasSameBytes(as: issuer.audience) }) else { throw .wrongAudience }
        guard let expiresAt = claims.expiresAt, expiresAt > now - issuer.clockSkew else { throw .expired }
        let latest = now + issuer.clockSkew
        guard claims.notBefore ?? .min <= latest, claims.issuedAt ?? .min <= latest else { throw .notYetValid }
        let subject = TokenSubject(issuer: claims.issuer, subject: claims.subject, id: claims.id)
        return (subject, issuer.permissions(claims, until: expiresAt))
    }
}
