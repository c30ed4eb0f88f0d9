public import Crypto

/// One key that signs sessions: HS256 (RFC 7518 section 3.2) under 32 bytes that are derived from the vault's keys
/// for this purpose alone. The caller derives them with HKDF, under ``purpose``.
public final class SessionKey: Sendable {
    /// The purpose ("info") of the derivation.
    public static let purpose = Array("cloakroom session signing v1".utf8)

    /// `typ` of sessions; a media type without its `application/` (RFC 7515 section 4.1.9). It keeps sessions apart
    /// from every other kind of token (RFC 8725 section 3.11).
    static let type = "cloakroom-session+jwt"

    /// The header of every session under this key, in base64url. A session is only verified if it begins with these
    /// bytes, so that no header from outside is ever interpreted: there is no algorithm to choose.
    let encodedHeader: [UInt8]
    private let hmac: HMACSHA256

    /// - Parameter bytes: 32 bytes; the caller may wipe its own afterwards.
    public init(_ bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == 32 else { throw .unsuitableLength("session key") }
        hmac = try HMACSHA256(key: bytes)
        // The key's id is a code from which the key cannot be computed. It tells the keys of vaults apart.
        let id = Base64.encode(Array(try hmac.code(for: Array("key id".utf8)).prefix(6)), .url)
        let header = #"{"alg":"HS256","kid":"\#(id)","typ":"\#(Self.type)"}"#
        encodedHeader = Array(Base64.encode(Array(header.utf8), .url).utf8)
    }

    /// The 32 bytes of the signature.
    func signature(over signingInput: ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
        try hmac.code(for: Array(signingInput))
    }

    /// The token for `claims`.
    public func token(for claims: SessionClaims) throws(CryptoError) -> String {
        let input = encodedHeader + [UInt8(ascii: ".")] + Array(Base64.encode(claims.payload(), .url).utf8)
        return String(decoding: input, as: UTF8.self) + "." + Base64.encode(try signature(over: input[...]), .url)
    }
}
