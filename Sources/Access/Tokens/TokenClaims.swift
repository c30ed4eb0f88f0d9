import JSON

/// The claims of a token of an identity provider (RFC 7519 section 4.1) that are of use here.
struct TokenClaims {
    /// Names of one claim that are looked at.
    static let maximumNames = 256

    let issuer: String
    let subject: String
    let id: String?
    let audiences: [String]
    /// Unix seconds; fractions cut off. Nil if the token has none, which is checked after its signature.
    let expiresAt: Int64?
    let notBefore: Int64?
    let issuedAt: Int64?
    /// The first claim that nothing can be made of; it reads as absent. Told only behind a right signature: see ``SignedToken``.
    let bad: TokenClaim?
    private let object: JSONObject

    /// Reads a payload. What the claims say is not checked yet. Throws `badClaim` for an issuer whose keys can't be found.
    init(payload: [UInt8]) throws(TokenRefusal) {
        guard let object = try? JSONValue.parse(payload, maximumDepth: 16).object else { throw .malformed }
        self.object = object
        guard let issuer = try Self.text(object["iss"]) else { throw .unknownIssuer }
        self.issuer = issuer
        var reading = Reading(object: object)
        subject = reading.read(.subject, Self.text) ?? ""
        id = reading.read(.id, Self.text)
        audiences = reading.read(.audience, Self.texts) ?? []
        expiresAt = reading.read(.expiry, Self.time)
        notBefore = reading.read(.notBefore, Self.time)
        issuedAt = reading.read(.issuedAt, Self.time)
        bad = reading.bad
    }

    /// Reads claims one by one, and remembers the first that is not what it must be.
    private struct Reading {
        let object: JSONObject
        var bad: TokenClaim?

        mutating func read<Value>(
            _ claim: TokenClaim, _ value: (JSONValue?) throws(TokenRefusal) -> Value?
        ) -> Value? {
            do throws(TokenRefusal) { return try value(object[claim.rawValue]) } catch {
                bad = bad ?? claim
                return nil
            }
        }
    }

    /// Names that a claim holds: between spaces, or in an array. Nil if there is no such claim, or it holds something
    /// else.
    func names(_ claim: String) -> [String]? {
        guard let value = object[claim] ?? nested(claim) else { return nil }
        let names = value.string.map { $0.split(separator: " ").map(String.init) } ?? value.strings
        return names.map { Array($0.prefix(Self.maximumNames)) }
    }

    private func nested(_ path: String) -> JSONValue? {
        var value: JSONValue? = .object(object)
        for name in path.split(separator: ".") { value = value?.object?[String(name)] }
        return value
    }

    private static func text(_ value: JSONValue?) throws(TokenRefusal) -> String? {
        guard let value else { return nil }
        guard let text = value.string, text.utf8.count <= SessionClaims.Limit.text else { throw .badClaim }
        return text
    }

    private static func texts(_ value: JSONValue?) throws(TokenRefusal) -> [String]? {
        guard let value else { return nil }
        if let text = value.string { return [text] }
        guard let list = value.strings else { throw .badClaim }
        return list
    }

    /// A NumericDate (RFC 7519 section 2): seconds, perhaps with a fraction. Exponents, negative and huge numbers are
    /// refused.
    private static func time(_ value: JSONValue?) throws(TokenRefusal) -> Int64? {
        guard let value else { return nil }
        guard case .number(let number) = value else { throw .badClaim }
        let parts = number.text.split(separator: ".", maxSplits: 1)
        guard let whole = parts.first, let seconds = Int64(whole), seconds >= 0, seconds <= 253_402_300_799,
            parts.count == 1 || parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { throw .badClaim }
        return seconds
    }
}
