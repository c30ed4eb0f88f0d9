import Crypto
import JSON

/// The header of a token from outside (RFC 7515 section 4), read strictly: it is the sender's claim, and nothing in
/// it is used before it fits what was configured here.
struct JOSEHeader: Equatable {
    let algorithm: SignatureAlgorithm
    let keyID: String?

    /// Bytes of a header; a `kid` and a few other members take some 100.
    static let maximumSize = 2_048
    /// Bytes of a `kid`.
    static let maximumKeyID = 256

    /// Reads the first part of a token.
    ///
    /// - `alg` must be one of the four that are verified here: `none` and HMAC are none of them (RFC 8725 section 3.1).
    /// - `crit` is refused, because no extension is understood here (RFC 7515 section 4.1.11), and so are `b64` (RFC
    ///   7797), `zip` and `enc`.
    /// - `typ`, if present, must be that of a JWT or an OAuth 2.0 access token (RFC 9068 section 2.1), never that of
    ///   a session (RFC 8725 section 3.11). `cty` would announce a nested token and is refused.
    /// - `jwk`, `jku`, `x5u` and `x5c`, by which a token brings its own key, are not looked at: keys come from the
    ///   configuration.
    init(encoded: ArraySlice<UInt8>) throws(TokenRefusal) {
        guard encoded.count <= Self.maximumSize / 3 * 4, let bytes = CompactToken.decode(encoded),
            let object = try? JSONValue.parse(bytes, maximumDepth: 3).object
        else { throw .malformed }
        guard let name = object["alg"]?.string, let algorithm = SignatureAlgorithm(rawValue: name) else {
            throw .algorithmNotAllowed
        }
        for name in ["crit", "b64", "zip", "enc", "cty"] where object[name] != nil { throw .headerNotAllowed }
        if let type = object["typ"] {
            // Media types are compared without regard to case (RFC 7515 section 4.1.9).
            guard var type = type.string?.lowercased() else { throw .headerNotAllowed }
            if type.hasPrefix("application/") { type.removeFirst("application/".count) }
            guard type == "jwt" || type == "at+jwt" else { throw .headerNotAllowed }
        }
        self.algorithm = algorithm
        keyID = try object["kid"].map { value throws(TokenRefusal) in
            guard let id = value.string, (1...Self.maximumKeyID).contains(id.utf8.count) else { throw .malformed }
            return id
        }
    }
}
