/// Signatures that are verified here, by their names in JWS (RFC 7518 section 3.1, RFC 8037 section 3.1).
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PSS with SHA-256, MGF1 with SHA-256, and a salt of 32 bytes.
    case ps256 = "PS256"
    /// ECDSA on P-256 with SHA-256; the signature is `r ‖ s`, 32 bytes each.
    case es256 = "ES256"
    /// Ed25519. EdDSA also names Ed448 in JWS, which is not taken.
    case edDSA = "EdDSA"
}
