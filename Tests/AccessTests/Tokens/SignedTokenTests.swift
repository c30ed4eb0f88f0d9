import Crypto
import Testing

@testable import Access

/// A token of the issuer `https://idp.example` for the audience `cloakroom`, as the tests want it.
struct TokenFixture {
    static let issuer = TokenIssuer(issuer: "https://idp.example", audience: "cloakroom")
    static let payload =
        #"{"iss":"https://idp.example","sub":"backend","aud":"cloakroom","exp":2000,"scope":"aliases:create forms:send"}"#

    /// All three kinds of keys, by their kinds as ids.
    static func keys() throws -> JSONWebKeySet {
        let keys = [TestSigner.Kind.rsa, .p256, .ed25519].map { TestSigner(kind: $0).jwk(#","kid":"\#($0.rawValue)""#) }
        return try JSONWebKeySet(document: Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8))
    }

    /// What becomes of a token.
    static func outcome(
        _ token: [UInt8], issuer: TokenIssuer = issuer, keys: JSONWebKeySet? = nil, at now: Int64 = 1_000
    ) throws -> Result<Permissions, TokenRefusal> {
        let keys = try keys ?? Self.keys()
        do throws(TokenRefusal) {
            return .success(try SignedToken(token).verify(with: keys, for: issuer, at: now).permissions)
        } catch { return .failure(error) }
    }

    static func refusal(
        _ token: [UInt8], issuer: TokenIssuer = issuer, keys: JSONWebKeySet? = nil, at now: Int64 = 1_000
    ) throws -> TokenRefusal? {
        if case .failure(let refusal) = try outcome(token, issuer: issuer, keys: keys, at: now) { refusal } else { nil }
    }
}

@Suite("Tokens of identity providers")
struct SignedTokenTests {
    static let signers: [(TestSigner.Kind, SignatureAlgorithm)] = [
        (.rsa, .rs256), (.rsa, .ps256), (.p256, .es256), (.ed25519, .edDSA),
    ]

    @Test(arguments: signers)
    func verifies(kind: TestSigner.Kind, algorithm: SignatureAlgorithm) throws {
        let signer = TestSigner(kind: kind)
        for header in [
            #"{"alg":"\#(algorithm.rawValue)"}"#,
            #"{"alg":"\#(algorithm.rawValue)","kid":"\#(kind.rawValue)","typ":"JWT"}"#,
            #"{"typ":"application/at+JWT","alg":"\#(algorithm.rawValue)","x5c":["MII"],"jku":"https://evil.example"}"#,
        ] {
            let token = try signer.token(header: header, payload: TokenFixture.payload, algorithm)
            #expect(SignedToken.isLikely(token))
            let permissions = try TokenFixture.outcome(token).get()
            #expect(permissions.scopes.text == "aliases:create forms:send" && permissions.forms == .all)
            #expect(permissions.expiresAt == 2_060)
        }
    }

    /// RFC 7515 A.2 and A.3 whole: their claims (RFC 7519 section 3.1) are of an issuer without an audience, and expired in 2011.
    @Test func examplesOfTheStandard() throws {
        let joe = TokenIssuer(issuer: "joe", audience: "other")
        let payload = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
        let token = try TestSigner(kind: .rsa).token(header: #"{"alg":"RS256"}"#, payload: payload, .rs256)
        // PKCS #1 v1.5 is deterministic, so that this is the very token of A.2.
        #expect(
            String(decoding: token, as: UTF8.self).hasSuffix(
                ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
            ))
        #expect(try TokenFixture.refusal(token, issuer: joe, at: 1_300_819_000) == .wrongAudience)
        #expect(try TokenFixture.refusal(token, at: 1_300_819_000) == .unknownIssuer)
        let ecdsa =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
            + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        #expect(try TokenFixture.refusal(Array(ecdsa.utf8), issuer: joe, at: 1_300_819_000) == .wrongAudience)
        // RFC 7519 section 6.1: an unsecured token. RFC 7515 A.1: one under HMAC.
        let unsecured =
            "eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
        #expect(try TokenFixture.refusal(Array(unsecured.utf8), issuer: joe) == .malformed)
        let hmac =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLm"
            + "NvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(try TokenFixture.refusal(Array(hmac.utf8), issuer: joe) == .algorithmNotAllowed)
    }

    @Test(arguments: signers)
    func everyChangedBitIsRefused(kind: TestSigner.Kind, algorithm: SignatureAlgorithm) throws {
        let keys = try TokenFixture.keys()
        let token = try TestSigner(kind: kind).token(
            header: #"{"alg":"\#(algorithm.rawValue)","kid":"\#(kind.rawValue)"}"#, payload: TokenFixture.payload,
            algorithm)
        for index in token.indices {
            var changed = token
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(try TokenFixture.refusal(changed, keys: keys) != nil, "byte \(index)")
            changed[index] = token[index] ^ 0x20
            #expect(try TokenFixture.refusal(changed, keys: keys) != nil, "byte \(index)")
        }
        for length in [0, 1, token.count / 2, token.count - 1] {
            #expect(try TokenFixture.refusal(Array(token[..<length]), keys: keys) != nil)
        }
        for tail in ["=", ".", "A", "\n", "."] {
            #expect(try TokenFixture.refusal(token + Array(tail.utf8), keys: keys) != nil)
        }
    }

    /// Headers over which a valid signature is made, and which are refused all the same.
    @Test(arguments: [
        (#"{"alg":"none"}"#, TokenRefusal.algorithmNotAllowed), (#"{"alg":"None"}"#, .algorithmNotAllowed),
        (#"{"alg":"rs256"}"#, .algorithmNotAllowed), (#"{"alg":"HS256"}"#, .algorithmNotAllowed),
        (#"{"alg":"RS512"}"#, .algorithmNotAllowed), (#"{"alg":"ES384"}"#, .algorithmNotAllowed),
        (#"{"alg":"Ed25519"}"#, .algorithmNotAllowed), (#"{"alg":["RS256"]}"#, .algorithmNotAllowed),
        (#"{"alg":null}"#, .algorithmNotAllowed), (#"{"typ":"JWT"}"#, .algorithmNotAllowed), ("", .malformed),
        ("[]", .malformed),
        ("{", .malformed), (#"{"alg":"RS256","alg":"none"}"#, .malformed), (#"{"alg":"RS256"} "#, .badSignature),
        (#"{"alg":"RS256","crit":["exp"],"exp":1}"#, .headerNotAllowed),
        (#"{"alg":"RS256","crit":[]}"#, .headerNotAllowed),
        (#"{"alg":"RS256","b64":false,"crit":["b64"]}"#, .headerNotAllowed),
        (#"{"alg":"RS256","b64":true}"#, .headerNotAllowed),
        (#"{"alg":"RS256","zip":"DEF"}"#, .headerNotAllowed), (#"{"alg":"RS256","enc":"A128GCM"}"#, .headerNotAllowed),
        (#"{"alg":"RS256","cty":"JWT"}"#, .headerNotAllowed),
        (#"{"alg":"RS256","typ":"cloakroom-session+jwt"}"#, .headerNotAllowed),
        (#"{"alg":"RS256","typ":"dpop+jwt"}"#, .headerNotAllowed), (#"{"alg":"RS256","typ":7}"#, .headerNotAllowed),
        (#"{"alg":"RS256","kid":""}"#, .malformed), (#"{"alg":"RS256","kid":7}"#, .malformed),
        (#"{"alg":"RS256","kid":"other"}"#, .unknownKey), (#"{"alg":"ES256","kid":"rsa"}"#, .unknownKey),
        (#"{"alg":"EdDSA","kid":"rsa"}"#, .unknownKey), (#"{"alg":"PS256","kid":"rsa"}"#, .badSignature),
        (#"{"alg":"ES256"}"#, .badSignature), (#"{"alg":"RS256","x":{"y":{"z":[]}}}"#, .malformed),
    ])
    func refusesHeader(header: String, refusal: TokenRefusal) throws {
        var token = try TestSigner(kind: .rsa).token(header: header, payload: TokenFixture.payload, .rs256)
        if header == #"{"alg":"RS256"} "# { token[token.count - 1] = UInt8(ascii: "A") }
        #expect(try TokenFixture.refusal(token) == refusal)
    }

    /// The attack by which a verifier that believes `alg` takes the public key, in any of its spellings, for an HMAC key.
    @Test func publicKeyAsHMACKey() throws {
        let signer = TestSigner(kind: .rsa)
        for key in [signer.jwk(), TestSigner.rsaModulus, "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n"] {
            for header in [#"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"RS256"}"#] {
                let input =
                    Base64.encode(Array(header.utf8), .url) + "."
                    + Base64.encode(Array(TokenFixture.payload.utf8), .url)
                let code = try HMACSHA256(key: Array(key.utf8)).code(for: Array(input.utf8))
                let token = Array((input + "." + Base64.encode(code, .url)).utf8)
                #expect(try TokenFixture.refusal(token) != nil)
            }
        }
    }

    /// A token that brings the key that it is signed with.
    @Test func keysInTheTokenAreNotUsed() throws {
        let other = try JSONWebKeySet(document: Array(#"{"keys":[\#(TestSigner(kind: .p256).jwk())]}"#.utf8))
        let signer = TestSigner(kind: .ed25519)
        for name in ["jwk", "x5c", "jku", "x5u"] {
            let header = #"{"alg":"EdDSA","\#(name)":\#(name == "jwk" ? signer.jwk() : #""https://evil.example""#)}"#
            let token = try signer.token(header: header, payload: TokenFixture.payload, .edDSA)
            #expect(try TokenFixture.refusal(token, keys: other) == .unknownKey)
        }
    }

    @Test func hugeAndOddShapes() throws {
        let long = String(repeating: "a", count: 20_000)
        let signer = TestSigner(kind: .ed25519)
        let shapes: [[UInt8]] = [
            [], Array("a".utf8), Array("..".utf8), Array("a.b".utf8), Array("a.b.c.d.e".utf8), Array(long.utf8),
            [UInt8](repeating: UInt8(ascii: "."), count: 16_000), [UInt8](repeating: 0xFF, count: 300),
            try signer.token(header: #"{"alg":"EdDSA","a":"\#(long)"}"#, payload: TokenFixture.payload, .edDSA),
            try signer.token(header: #"{"alg":"EdDSA"}"#, payload: #"{"a":"\#(long)"}"#, .edDSA),
            try signer.token(
                header: #"{"alg":"EdDSA"}"#, payload: String(repeating: "[", count: 4_000), .edDSA),
            try signer.token(header: String(repeating: "[", count: 1_400), payload: "{}", .edDSA),
            try signer.token(header: #"{"alg":"EdDSA","a":"\#(long.prefix(2_100))"}"#, payload: "{}", .edDSA),
        ]
        for token in shapes { #expect(try TokenFixture.refusal(token) == .malformed) }
    }

    @Test(arguments: [
        (#"{"iss":"https://idp.example","aud":"cloakroom"}"#, TokenRefusal.expired),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":939}"#, .expired),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":940}"#, .expired),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":"2000"}"#, .badClaim),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":-1}"#, .badClaim),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":2e3}"#, .badClaim),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":1e400}"#, .badClaim),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":99999999999999999999}"#, .badClaim),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":2000,"exp":3000}"#, .malformed),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":2000,"nbf":1061}"#, .notYetValid),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":2000,"iat":1061}"#, .notYetValid),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":2000,"nbf":"1"}"#, .badClaim),
        (#"{"iss":"https://idp.example","exp":2000}"#, .wrongAudience),
        (#"{"iss":"https://idp.example","aud":"Cloakroom","exp":2000}"#, .wrongAudience),
        (#"{"iss":"https://idp.example","aud":["a"],"exp":2000}"#, .wrongAudience),
        (#"{"iss":"https://idp.example","aud":[],"exp":2000}"#, .wrongAudience),
        (#"{"iss":"https://idp.example","aud":["cloakroom",7],"exp":2000}"#, .badClaim),
        (#"{"iss":"https://idp.example","aud":{"a":"cloakroom"},"exp":2000}"#, .badClaim),
        (#"{"iss":"https://idp.example/","aud":"cloakroom","exp":2000}"#, .unknownIssuer),
        (#"{"iss":["https://idp.example"],"aud":"cloakroom","exp":2000}"#, .badClaim),
        (#"{"aud":"cloakroom","exp":2000}"#, .unknownIssuer), (#""text""#, .malformed), ("", .malformed),
    ])
    func refusesClaims(payload: String, refusal: TokenRefusal) throws {
        let token = try TestSigner(kind: .ed25519).token(header: #"{"alg":"EdDSA"}"#, payload: payload, .edDSA)
        #expect(try TokenFixture.refusal(token) == refusal)
    }

    /// The claim is named to who can sign; but for the issuer's, without which there is no key.
    @Test(arguments: [
        (#""exp":2000,"sub":"\#(String(repeating: "s", count: 257))""#, TokenClaim.subject),
        (#""exp":2000,"sub":7"#, .subject),
        (#""exp":2000,"jti":[]"#, .id), (#""exp":1000000000000000"#, .expiry), (#""exp":"2000""#, .expiry),
        (#""exp":2000,"nbf":-1"#, .notBefore), (#""exp":2000,"iat":1e3"#, .issuedAt),
        (#""exp":1,"iat":"1""#, .issuedAt),
    ])
    func namesTheBadClaim(claims: String, claim: TokenClaim) throws {
        let payload = #"{"iss":"https://idp.example","aud":"cloakroom",\#(claims)}"#
        var token = try TestSigner(kind: .ed25519).token(header: #"{"alg":"EdDSA"}"#, payload: payload, .edDSA)
        #expect(try TokenFixture.refusal(token) == .badClaim)
        #expect(try SignedToken(token).badClaim == claim)
        let place = token.count - 10
        token[place] = token[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        #expect(try TokenFixture.refusal(token) == .badSignature)
    }

    /// Who cannot sign learns of no claim, and of none that is missing.
    @Test(arguments: [
        (#"{"iss":"https://idp.example","aud":"cloakroom"}"#, TokenRefusal.badSignature),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":939}"#, .badSignature),
        (#"{"iss":"https://idp.example","aud":"cloakroom","exp":"2000"}"#, .badSignature),
        (#"{"iss":"https://idp.example","aud":7,"exp":2000}"#, .badSignature),
        (#"{"iss":"https://other.example","aud":"cloakroom"}"#, .unknownIssuer),
    ])
    func strangersLearnOfNoClaim(payload: String, refusal: TokenRefusal) throws {
        var token = try TestSigner(kind: .ed25519).token(header: #"{"alg":"EdDSA"}"#, payload: payload, .edDSA)
        let place = token.count - 10
        token[place] = token[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        #expect(try TokenFixture.refusal(token) == refusal)
    }

    @Test(arguments: [
        #"{"iss":"https://idp.example","aud":"cloakroom","exp":941}"#,
        #"{"iss":"https://idp.example","aud":["other","cloakroom"],"exp":2000.5,"nbf":1060,"iat":1060}"#,
    ])
    func takesClaimsWithinTheSkew(payload: String) throws {
        let token = try TestSigner(kind: .ed25519).token(header: #"{"alg":"EdDSA"}"#, payload: payload, .edDSA)
        #expect(try TokenFixture.refusal(token) == nil)
    }

    @Test func scopesAndForms() throws {
        func permissions(_ claims: String, _ scopes: TokenIssuer.ScopeClaim, forms: String? = nil) throws -> Permissions
        {
            let payload = #"{"iss":"https://idp.example","aud":"cloakroom","exp":2000,\#(claims)}"#
            let issuer = TokenIssuer(
                issuer: "https://idp.example", audience: "cloakroom", scopes: scopes, formsClaim: forms)
            let token = try TestSigner(kind: .ed25519).token(header: #"{"alg":"EdDSA"}"#, payload: payload, .edDSA)
            return try TokenFixture.outcome(token, issuer: issuer).get()
        }
        let plain = TokenIssuer.ScopeClaim()
        #expect(try permissions(#""scope":"openid aliases:create""#, plain).scopes == ScopeSet(.createAliases))
        #expect(try permissions(#""scope":["aliases:create"]"#, plain).scopes == ScopeSet(.createAliases))
        #expect(try permissions(#""scope":7"#, plain).scopes == [])
        #expect(try permissions(#""other":"aliases:create""#, plain).scopes == [])
        let mapped = TokenIssuer.ScopeClaim(
            claim: "realm_access.roles", map: ["teller": [ScopeSet(.sendForms), ScopeSet(.createAliases)]])
        #expect(
            try permissions(#""realm_access":{"roles":["teller","aliases:reveal"]}"#, mapped).scopes.text
                == "aliases:create forms:send")
        #expect(try permissions(#""realm_access":{"roles":["visitor"]}"#, mapped).scopes == [])
        #expect(try permissions(#""realm_access.roles":["teller"]"#, mapped).scopes.contains(.sendForms))
        #expect(try permissions(#""realm_access":"teller""#, mapped).scopes == [])
        let forms = try permissions(#""forms":["checkout","shop-*","*bad*"]"#, plain, forms: "forms").forms
        #expect(forms.contains("checkout") && forms.contains("shop-1") && !forms.contains("*bad*"))
        #expect(try permissions(#""scope":"""#, plain, forms: "forms").forms == .matching([]))
    }
}
