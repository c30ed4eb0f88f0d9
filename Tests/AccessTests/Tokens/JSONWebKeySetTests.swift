import Crypto
import Testing

@testable import Access

@Suite("Key sets")
struct JSONWebKeySetTests {
    private func set(_ keys: [String]) throws -> JSONWebKeySet {
        try JSONWebKeySet(document: Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8))
    }

    @Test func leavesOutWhatItCannotUse() throws {
        let key = TestSigner(kind: .p256)
        let usable = [key.jwk(), key.jwk(#","use":"sig","alg":"ES256","kid":"a""#), key.jwk(#","key_ops":["verify"]"#)]
        let others = [
            key.jwk(#","use":"enc""#), key.jwk(#","alg":"ES384""#), key.jwk(#","alg":"RS256""#),
            key.jwk(#","key_ops":["sign"]"#),
            key.jwk(#","d":"AA""#), key.jwk(#","kid":"""#), key.jwk(#","kid":7"#), "7", "{}",
            #"{"kty":"oct","k":"AAAA"}"#,
            #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#, #"{"kty":"OKP","crv":"Ed448","x":"AA"}"#,
            #"{"kty":"EC","crv":"P-256","x":"\#(TestSigner.p256X)","y":"\#(TestSigner.p256X)"}"#,
            #"{"kty":"EC","crv":"P-256","x":"\#(TestSigner.p256X)=","y":"\#(TestSigner.p256Y)"}"#,
            #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, #"{"kty":"RSA","n":"\#(TestSigner.rsaModulus)"}"#,
            #"{"kty":"OKP","crv":"P-256","x":"\#(TestSigner.ed25519X)"}"#,
        ]
        let set = try set(usable + others)
        #expect(set.keys.count == usable.count)
        #expect(set.has(keyID: "a") && !set.has(keyID: "b"))
        for other in others { #expect(throws: JSONWebKeySet.Mistake.noUsableKey) { try self.set([other]) } }
    }

    @Test func limits() throws {
        let key = TestSigner(kind: .ed25519).jwk()
        #expect(try set([String](repeating: key, count: 64)).keys.count == 64)
        #expect(throws: JSONWebKeySet.Mistake.tooManyKeys) { try set([String](repeating: key, count: 65)) }
        #expect(throws: JSONWebKeySet.Mistake.tooLarge) {
            try JSONWebKeySet(document: [UInt8](repeating: 0x20, count: JSONWebKeySet.maximumSize + 1))
        }
        for text in ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[],"keys":[]}"#, String(repeating: "[", count: 1_000)] {
            #expect(throws: JSONWebKeySet.Mistake.malformed) { try JSONWebKeySet(document: Array(text.utf8)) }
        }
    }

    /// Without a `kid` at most four keys are tried, and of several with the same one, so that one token costs a bounded number of
    /// verifications.
    @Test(arguments: ["", #","kid":"a""#])
    func keysWithoutNames(id: String) throws {
        let signer = TestSigner(kind: .p256)
        let token = try signer.token(header: #"{"alg":"ES256"\#(id)}"#, payload: TokenFixture.payload, .es256)
        // The base point of P-256, another key.
        let other =
            #"{"kty":"EC","crv":"P-256","x":"axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY","#
            + #""y":"T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"\#(id)}"#
        let found = try set([String](repeating: other, count: 3) + [signer.jwk(id)])
        #expect(found.keys.count == 4)
        #expect(try TokenFixture.refusal(token, keys: found) == nil)
        let hidden = try set([String](repeating: other, count: 4) + [signer.jwk(id)])
        #expect(try TokenFixture.refusal(token, keys: hidden) == .tooManyKeys)
    }
}

@Suite("When keys are fetched")
struct KeyCacheTests {
    /// A short name of a decision.
    private func name(_ decision: KeyCache.Decision) -> String {
        switch decision {
        case .use(_, let refresh): refresh ? "use, refresh" : "use"
        case .fetch(let isKnown): isKnown ? "fetch, known" : "fetch"
        case .wait(let isKnown): isKnown ? "wait, known" : "wait"
        case .unknownKey: "unknown"
        case .unavailable(let seconds): "unavailable \(seconds)"
        }
    }

    private func keys(_ id: String) throws -> JSONWebKeySet {
        try JSONWebKeySet(document: Array(#"{"keys":[\#(TestSigner(kind: .p256).jwk(#","kid":"\#(id)""#))]}"#.utf8))
    }

    @Test func rollsKeysWhileServing() throws {
        var cache = KeyCache()
        #expect(name(cache.decide(keyID: "a", at: 0)) == "fetch")
        #expect(name(cache.decide(keyID: "a", at: 10)) == "wait")
        cache.finished(try keys("a"), at: 20)
        #expect(name(cache.decide(keyID: "a", at: 30)) == "use")
        #expect(name(cache.decide(keyID: nil, at: 30)) == "use")
        // The provider rolls its keys, soon after the first fetch.
        #expect(name(cache.decide(keyID: "b", at: 1_000)) == "fetch")
        #expect(name(cache.decide(keyID: "a", at: 1_001)) == "use", "old keys serve while new ones are fetched")
        #expect(name(cache.decide(keyID: "b", at: 1_001)) == "wait")
        cache.finished(try keys("b"), at: 1_100)
        #expect(name(cache.decide(keyID: "b", at: 1_101)) == "use")
        #expect(name(cache.decide(keyID: "a", at: 1_101)) == "unknown")
        // And again. A key that was not known was looked for less than a minute ago.
        #expect(name(cache.decide(keyID: "c", at: 60_999)) == "unknown")
        #expect(name(cache.decide(keyID: "c", at: 61_000)) == "fetch")
    }

    /// The fetch for the first token is the one of its minute if it does not find the token's key.
    @Test func oneFetchForAKeyThatIsNotThere() throws {
        var cache = KeyCache()
        #expect(name(cache.decide(keyID: "invented", at: 0)) == "fetch")
        cache.finished(try keys("a"), at: 20)
        #expect(name(cache.decide(keyID: "invented", at: 30)) == "unknown")
        #expect(name(cache.decide(keyID: "another", at: 59_999)) == "unknown")
        #expect(name(cache.decide(keyID: "another", at: 60_000)) == "fetch")
    }

    @Test func aStrangerCannotCauseFetches() throws {
        var cache = KeyCache(keys: try keys("a"), at: 0)
        var fetches = 0
        for time in stride(from: Int64(0), to: 600_000, by: 50) {
            if case .fetch = cache.decide(keyID: "invented \(time)", at: time) {
                fetches += 1
                cache.finished(try keys("a"), at: time + 10)
            }
        }
        #expect(fetches == 10)
    }

    /// While the provider cannot be reached nothing is known of a key that is new: its tokens are good again later.
    @Test func aNewKeyIsNotUnknownWhileNoneCanBeFetched() throws {
        var cache = KeyCache(keys: try keys("a"), at: 0)
        #expect(name(cache.decide(keyID: "b", at: 1_000)) == "fetch")
        cache.finished(nil, at: 6_000)
        #expect(name(cache.decide(keyID: "b", at: 6_000)) == "unavailable 55")
        #expect(name(cache.decide(keyID: "a", at: 6_000)) == "use")
        #expect(name(cache.decide(keyID: "b", at: 61_000)) == "fetch")
        cache.finished(try keys("a"), at: 61_100)
        #expect(name(cache.decide(keyID: "b", at: 61_200)) == "unknown")
    }

    /// After a quiet time the keys are fetched before the first token is judged: its key may have been withdrawn.
    @Test func oldKeysJudgeNothingWhileTheProviderResponds() throws {
        var cache = KeyCache(keys: try keys("a"), at: 0)
        #expect(name(cache.decide(keyID: "a", at: 3_600_000)) == "fetch, known")
        #expect(name(cache.decide(keyID: "a", at: 3_600_001)) == "wait, known")
        cache.finished(try keys("b"), at: 3_600_100)
        #expect(name(cache.decide(keyID: "a", at: 3_600_200)) == "unknown")
        // A refresh that goes on beside tokens when the hour is over.
        #expect(name(cache.decide(keyID: "b", at: 7_200_099)) == "use, refresh")
        #expect(name(cache.decide(keyID: "b", at: 7_200_100)) == "wait, known")
        cache.finished(nil, at: 7_200_200)
        #expect(name(cache.decide(keyID: "b", at: 7_200_300)) == "use")
        // That it failed then says nothing of now.
        #expect(name(cache.decide(keyID: "b", at: 14_000_000)) == "fetch, known")
        #expect(name(cache.decide(keyID: "b", at: 14_000_001)) == "wait, known")
        cache.finished(try keys("c"), at: 14_000_100)
        #expect(name(cache.decide(keyID: "b", at: 14_000_200)) == "unknown")
    }

    /// A provider that has withdrawn all its keys was reached: no token is taken any more, with a key id or without, and new keys are
    /// found within a minute.
    @Test(arguments: ["a", nil]) func allKeysWithdrawn(keyID: String?) throws {
        var cache = KeyCache(keys: try keys("a"), at: 0)
        #expect(name(cache.decide(keyID: keyID, at: 3_000_000)) == "use, refresh")
        cache.finished(.empty, at: 3_000_100)
        #expect(name(cache.decide(keyID: keyID, at: 3_000_200)) == "unknown")
        #expect(name(cache.decide(keyID: keyID, at: 3_059_999)) == "unknown")
        #expect(name(cache.decide(keyID: keyID, at: 3_060_000)) == "fetch")
        cache.finished(try keys("a"), at: 3_060_100)
        #expect(name(cache.decide(keyID: keyID, at: 3_060_200)) == "use")
    }

    @Test func agesAndFails() throws {
        var cache = KeyCache(keys: try keys("a"), at: 0)
        #expect(name(cache.decide(keyID: "a", at: 2_999_999)) == "use")
        #expect(name(cache.decide(keyID: "a", at: 3_000_000)) == "use, refresh")
        #expect(name(cache.decide(keyID: "a", at: 3_000_001)) == "use")
        cache.finished(nil, at: 3_000_100)
        #expect(name(cache.decide(keyID: "a", at: 3_000_200)) == "use")
        // Beside tokens while the provider is known to be down.
        for time in stride(from: Int64(3_060_000), through: 3_600_000, by: 60_000) {
            #expect(name(cache.decide(keyID: "a", at: time)) == "use, refresh")
            #expect(name(cache.decide(keyID: "a", at: time + 1)) == "use")
            cache.finished(nil, at: time + 100)
        }
        #expect(name(cache.decide(keyID: "a", at: 3_660_000)) == "use, refresh")
        cache.finished(nil, at: 3_660_001)
        #expect(name(cache.decide(keyID: "a", at: 86_399_998)) == "fetch, known")
        cache.finished(nil, at: 86_399_999)
        #expect(name(cache.decide(keyID: "a", at: 86_399_999)) == "use")
        #expect(name(cache.decide(keyID: "a", at: 86_400_000)) == "unavailable 60")
        #expect(name(cache.decide(keyID: "a", at: 86_459_999)) == "fetch")
        cache.finished(try keys("a"), at: 86_460_100)
        #expect(name(cache.decide(keyID: "a", at: 86_460_101)) == "use")
    }
}
