import Crypto
import JSON

/// The public keys of an identity provider, from a JWK Set (RFC 7517 section 5).
public struct JSONWebKeySet: Sendable {
    /// One key that can verify.
    struct Key: Sendable {
        let id: String?
        /// The only algorithm that the set allows for it; nil where it names none.
        let algorithm: SignatureAlgorithm?
        let key: PublicKey

        func fits(_ wanted: SignatureAlgorithm) -> Bool {
            (algorithm == nil || algorithm == wanted) && key.fits(wanted)
        }
    }

    /// Why a document is no key set.
    public enum Mistake: Error, Equatable, Sendable, CustomStringConvertible {
        case tooLarge
        /// Not a JSON object with a `keys` array.
        case malformed
        case tooManyKeys
        /// No key of it can verify one of the four algorithms.
        case noUsableKey

        public var description: String {
            switch self {
            case .tooLarge: "larger than \(JSONWebKeySet.maximumSize) bytes"
            case .malformed: "not a JSON object with an array \"keys\""
            case .tooManyKeys: "more than \(JSONWebKeySet.maximumKeys) keys"
            case .noUsableKey: "no key for RS256, PS256, ES256 or EdDSA"
            }
        }
    }

    /// Bytes of a document.
    public static let maximumSize = 262_144
    /// Keys of a document.
    public static let maximumKeys = 64

    let keys: [Key]

    /// The set of a provider that has withdrawn all its keys.
    public static let empty = JSONWebKeySet(keys: [])

    private init(keys: [Key]) { self.keys = keys }

    /// Reads a document. Keys for other purposes are left out, as RFC 7517 section 5 says, so that a provider may add
    /// a kind that is not known here; a set without any usable key is refused.
    public init(document: [UInt8]) throws(Mistake) {
        guard document.count <= Self.maximumSize else { throw .tooLarge }
        guard let entries = try? JSONValue.parse(document, maximumDepth: 8).object?["keys"]?.array else {
            throw .malformed
        }
        guard entries.count <= Self.maximumKeys else { throw .tooManyKeys }
        keys = entries.compactMap { $0.object.flatMap(Self.key) }
        guard !keys.isEmpty else { throw .noUsableKey }
    }

    /// The keys that a token with this header may be signed by: those of its `kid`, or all if it has none.
    func candidates(for header: JOSEHeader) -> [Key] {
        keys.filter { key in
            guard key.fits(header.algorithm) else { return false }
            guard let id = header.keyID else { return true }
            return key.id?.hasSameBytes(as: id) ?? false
        }
    }

    /// Whether any key has this `kid`; without one, whether there is any key.
    func has(keyID: String?) -> Bool {
        guard let keyID else { return !keys.isEmpty }
        return keys.contains { $0.id?.hasSameBytes(as: keyID) ?? false }
    }

    private static func key(_ object: JSONObject) -> Key? {
        if let use = object["use"], use.string != "sig" { return nil }
        if let operations = object["key_ops"], operations.strings?.contains("verify") != true { return nil }
        // A private key that everybody can read proves nothing.
        guard object["d"] == nil, object["p"] == nil, object["k"] == nil else { return nil }
        var algorithm: SignatureAlgorithm?
        if let name = object["alg"] {
            guard let known = name.string.flatMap({ SignatureAlgorithm(rawValue: $0) }) else { return nil }
            algorithm = known
        }
        var id: String?
        if let name = object["kid"] {
            guard let text = name.string, (1...JOSEHeader.maximumKeyID).contains(text.utf8.count) else { return nil }
            id = text
        }
        guard let parameters = parameters(object), let key = PublicKey(parameters) else { return nil }
        if let algorithm, !key.fits(algorithm) { return nil }
        return Key(id: id, algorithm: algorithm, key: key)
    }

    /// RFC 7518 sections 6.2 and 6.3, RFC 8037 section 2.
    private static func parameters(_ object: JSONObject) -> PublicKey.Parameters? {
        func bytes(_ name: String) -> [UInt8]? {
            guard let text = object[name]?.string, text.utf8.count <= 2_048 else { return nil }
            return CompactToken.decode(text.utf8)
        }
        switch (object["kty"]?.string, object["crv"]?.string) {
        case ("RSA", nil):
            guard let modulus = bytes("n"), let exponent = bytes("e") else { return nil }
            return .rsa(modulus: modulus, exponent: exponent)
        case ("EC", "P-256"):
            guard let x = bytes("x"), let y = bytes("y") else { return nil }
            return .p256(x: x, y: y)
        case ("OKP", "Ed25519"): return bytes("x").map { .ed25519($0) }
        default: return nil
        }
    }
}
