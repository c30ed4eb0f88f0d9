import Crypto
import Testing

@testable import Access

@Suite("Session tokens")
struct SessionTokenTests {
    private let key: SessionKey

    init() throws {
        key = try SessionKey((0..<32).map { UInt8($0) })
    }

    /// A token over any payload, signed with the session key.
    private func token(_ payload: String) throws -> [UInt8] {
        let input = key.encodedHeader + [UInt8(ascii: ".")] + Array(Base64.encode(Array(payload.utf8), .url).utf8)
        return input + [UInt8(ascii: ".")] + Array(Base64.encode(try key.signature(over: input[...]), .url).utf8)
    }

    @Test func roundTrip() throws {
        let verifier = SessionVerifier(key)
        var issued = try sessionClaims(
            operations: [.send], origin: "https://shop.example", paths: ["/a", "/b\u{e9}\"\\"], maxRequests: 3)
        issued.issuer = "https://idp.example"
        for claims in [
            issued, try sessionClaims(), try sessionClaims(form: nil, operations: [], scopes: .all),
            try sessionClaims(form: nil, operations: [], scopes: []),
        ] {
            let token = Array(try key.token(for: claims).utf8)
            #expect(verifier.isSession(token))
            // The second time it is remembered.
            #expect(verifier.claims(of: token) == claims)
            #expect(verifier.claims(of: token) == claims)
        }
    }

    /// The header is as RFC 7515 section 4 wants it.
    @Test func header() throws {
        let header = try #require(Base64.decode(key.encodedHeader, .url))
        let text = String(decoding: header, as: UTF8.self)
        #expect(text.hasPrefix(#"{"alg":"HS256","kid":""#) && text.hasSuffix(#"","typ":"cloakroom-session+jwt"}"#))
    }

    @Test func everyChangedBitIsRefused() throws {
        let token = Array(try key.token(for: sessionClaims(origin: "https://shop.example", maxRequests: 20)).utf8)
        let verifier = SessionVerifier(key)
        _ = verifier.claims(of: token)
        for index in token.indices {
            for bit in 0..<8 {
                var changed = token
                changed[index] ^= 1 << UInt8(bit)
                #expect(verifier.claims(of: changed) == nil, "byte \(index), bit \(bit)")
            }
        }
        for length in token.indices { #expect(verifier.claims(of: Array(token[..<length])) == nil) }
        for tail in ["=", ".", ".x", "A", "\n", " "] { #expect(verifier.claims(of: token + Array(tail.utf8)) == nil) }
    }

    @Test func sessionsOfAnotherKeyAreNone() throws {
        let other = try SessionKey([UInt8](repeating: 7, count: 32))
        let claims = try sessionClaims()
        let own = Array(try key.token(for: claims).utf8)
        let foreign = Array(try other.token(for: claims).utf8)
        let verifier = SessionVerifier(key)
        #expect(verifier.claims(of: own) == claims && SessionVerifier(other).claims(of: foreign) == claims)
        #expect(verifier.claims(of: foreign) == nil && !verifier.isSession(foreign))
        // The header of one key with the signature of the other.
        let mixed = own.prefix(key.encodedHeader.count) + foreign.dropFirst(other.encodedHeader.count)
        #expect(verifier.claims(of: Array(mixed)) == nil)
        #expect(throws: CryptoError.self) { try SessionKey([1, 2, 3]) }
    }

    /// Payloads that are signed and still refused: what a newer version might mean by them is not known here.
    @Test(arguments: [
        "", "{}", "[]", "null", #"{"a":{"b":{"c":1}}}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","form":"f","operations":["send"],"iat":1,"exp":2,"more":true}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","form":"f","operations":["send"],"iat":1,"iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAB","credential":"a","form":"f","operations":["send"],"iat":1,"exp":2}"#,
        #"{"jti":"AAAA","credential":"a","form":"f","operations":["send"],"iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","form":"f","operations":["send"],"iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","form":"f","operations":[],"iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","form":"f","operations":["reveal"],"iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","form":"f","operations":["send","reveal"],"iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","form":"f","operations":["send"],"scope":"","iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","form":"f","operations":["send"],"publicOnly":["tokens"],"iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","form":"f","operations":["send"],"publicOnly":"send","iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","scope":"root","iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","iat":1,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","scope":"","iat":1}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","scope":"","iat":2,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","scope":"","iat":1,"exp":90000}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","scope":"","iat":1,"exp":1e1}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","scope":"","iat":-9223372036854775808,"exp":2}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","scope":"","iat":1,"exp":9223372036854775808}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","scope":"","iat":1,"exp":2,"maxRequests":0}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","scope":"","iat":1,"exp":2,"paths":[]}"#,
        #"{"jti":"AAAAAAAAAAAAAAAAAAAAAA","credential":"a","scope":"","iat":1,"exp":2,"origin":7}"#,
    ])
    func refusesSignedPayload(payload: String) throws {
        #expect(SessionVerifier(key).claims(of: try token(payload)) == nil)
    }

    /// Whatever a session may be asked for can be used: a quote is two characters of JSON.
    @Test(arguments: ["a", "\""])
    func hugeTokens(_ character: String) throws {
        let path = "/" + String(repeating: character, count: 255)
        let largest = try sessionClaims(paths: [String](repeating: path, count: 16))
        let verifier = SessionVerifier(key)
        #expect(verifier.claims(of: Array(try key.token(for: largest).utf8)) == largest)
        let huge = try token(#"{"credential":""# + String(repeating: "a", count: 20_000) + #""}"#)
        #expect(verifier.isSession(huge) && verifier.claims(of: huge) == nil)
    }
}
