import Crypto
import Synchronization

/// Tells whether a Bearer token is a session, and what it allows.
///
/// A session is presented many times, so the last ones verified are remembered: a repeated token costs one comparison
/// instead of a MAC and a JSON text. What is remembered is exactly what a verification would find again; expiry,
/// endings and counts are checked by the caller each time. A slot is found by the last bytes of the signature. The
/// signature is compared in constant time and before the rest, so that time tells nothing of a remembered token.
public final class SessionVerifier: Sendable {
    /// A class, so that a look-up retains one reference while the slots are locked.
    private final class Remembered: Sendable {
        let token: [UInt8]
        let claims: SessionClaims

        init(token: [UInt8], claims: SessionClaims) {
            self.token = token
            self.claims = claims
        }
    }

    private static let slots = 1_024
    /// 32 bytes in base64url.
    private static let signatureCharacters = 43

    private let key: SessionKey
    private let remembered: Mutex<[Remembered?]>

    /// - Parameter key: signs the sessions.
    public init(_ key: SessionKey) {
        self.key = key
        remembered = Mutex([Remembered?](repeating: nil, count: Self.slots))
    }

    /// Whether the token claims to be a session of this vault: it has the header that every token under its key has. A
    /// secret or a token of an identity provider does not. The header is no secret, so that an ordinary comparison does.
    public func isSession(_ token: [UInt8]) -> Bool {
        token.count > key.encodedHeader.count && token[key.encodedHeader.count] == UInt8(ascii: ".")
            && token.starts(with: key.encodedHeader)
    }

    /// The claims of a session; nil if the token is none. Whether it has expired is not looked at.
    public func claims(of token: [UInt8]) -> SessionClaims? {
        guard token.count <= SessionClaims.Limit.token, let slot = Self.slot(of: token) else { return nil }
        if let known = remembered.withLock({ $0[slot] }),
            ConstantTime.equal(known.token, token, secretSuffix: Self.signatureCharacters)
        {
            return known.claims
        }
        guard let claims = verify(token) else { return nil }
        remembered.withLock { $0[slot] = Remembered(token: token, claims: claims) }
        return claims
    }

    private func verify(_ token: [UInt8]) -> SessionClaims? {
        guard isSession(token),
            let parts = CompactToken(token, maximumSize: SessionClaims.Limit.token),
            parts.encodedSignature.count == Self.signatureCharacters,
            let signature = CompactToken.decode(parts.encodedSignature),
            let expected = try? key.signature(over: parts.signingInput), ConstantTime.equal(signature, expected),
            let payload = CompactToken.decode(parts.encodedPayload)
        else { return nil }
        return SessionClaims(payload: payload)
    }

    /// The slot for a token; nil if it is too short to be one.
    private static func slot(of token: [UInt8]) -> Int? {
        guard token.count > 16 else { return nil }
        // The last character holds only four bits of the signature; 16 characters before are enough for any number of
        // slots.
        guard let tail = UInt64(bigEndianBytes: token[(token.count - 9)..<(token.count - 1)]) else { return nil }
        return Int((tail &* 0x9E37_79B9_7F4A_7C15) >> 32) & (slots - 1)
    }
}
