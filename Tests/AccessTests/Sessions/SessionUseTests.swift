import Testing

@testable import Access

@Suite("Uses and endings of sessions")
struct SessionUseTests {
    @Test func countsToItsLimit() throws {
        let claims = try sessionClaims(maxRequests: 3)
        let use = try #require(try SessionUse(of: claims))
        #expect(use.name.count == 32 && use.forgottenAt == claims.expiresAt + 3_600)
        var kept: [UInt8]?
        for _ in 0..<3 {
            kept = use.count(after: kept)
            #expect(kept != nil)
        }
        #expect(use.count(after: kept) == nil)
        // A row that was damaged counts as used up.
        #expect(use.count(after: []) == nil && use.count(after: [0, 0, 0, 0, 0]) == nil)
        #expect(use.count(after: [255, 255, 255, 255]) == nil)
        #expect(try SessionUse(of: sessionClaims()) == nil)
        let other = try SessionUse(of: sessionClaims(maxRequests: 3))
        #expect(other?.name != use.name)
    }

    @Test func endings() throws {
        let ended = EndedSessions()
        let claims = try sessionClaims()
        #expect(ended.status(of: claims.id, at: 0) == .unknown)
        ended.merge([], at: 1_000)
        #expect(ended.status(of: claims.id, at: 1_500) == .current)
        #expect(ended.merge([SessionEnding(of: claims), SessionEnding(of: claims)], at: nil) == 1)
        #expect(ended.status(of: claims.id, at: 1_500) == .ended)
        let other = try sessionClaims()
        #expect(ended.status(of: other.id, at: 11_000) == .current)
        // The store could not be read for ten seconds: what ended meanwhile is not known.
        #expect(ended.status(of: other.id, at: 11_001) == .unknown)
        #expect(ended.status(of: claims.id, at: 11_001) == .ended)
        ended.merge([], at: EndedSessions.neverStale)
        #expect(ended.status(of: other.id, at: .max) == .current)
        // A reading that was overtaken by a later one does not set the time back.
        ended.merge([], at: 5)
        #expect(ended.status(of: other.id, at: .max) == .current)
    }

    @Test func endingsAreForgottenAfterTheirSessions() throws {
        let ended = EndedSessions()
        let claims = try sessionClaims(expiresAt: 1_900)
        ended.merge([SessionEnding(of: claims)], at: EndedSessions.neverStale)
        ended.sweep(at: 1_900 + 3_599)
        #expect(ended.count == 1)
        ended.sweep(at: 1_900 + 3_601)
        #expect(ended.count == 1, "swept once a minute")
        ended.sweep(at: 1_900 + 3_700)
        #expect(ended.count == 0 && ended.status(of: claims.id, at: 0) == .current)
    }

    @Test func oneCredentialTakesHalf() throws {
        let ended = EndedSessions(maximum: 4)
        for _ in 0..<2 {
            #expect(ended.hasRoom(for: "shop"))
            ended.merge([SessionEnding(of: try sessionClaims())], at: 1)
        }
        #expect(!ended.hasRoom(for: "shop") && ended.hasRoom(for: "other"))
    }

    /// A provider may name its subjects as it likes.
    @Test func aSubjectTakesNoCredentialsRoom() throws {
        let ended = EndedSessions(maximum: 4)
        for issuer in ["https://a.example", "https://a.example", "https://b.example"] {
            var claims = try sessionClaims()
            claims.issuer = issuer
            #expect(ended.hasRoom(for: claims.owner))
            ended.merge([SessionEnding(of: claims)], at: 1)
        }
        #expect(ended.hasRoom(for: "shop"))
        #expect(!ended.hasRoom(for: "https://a.example\nshop") && ended.hasRoom(for: "https://b.example\nshop"))
    }

    /// They are no credential's, and whoever can change rows could keep every session from being ended.
    @Test func damagedEndingsTakeNoRoom() throws {
        let ended = EndedSessions(maximum: 4)
        let damaged = try (0..<10).map { _ in SessionEnding(damaged: try sessionClaims().id, at: 1_000) }
        #expect(ended.merge(damaged, at: 1) == 10)
        #expect(damaged.allSatisfy { ended.status(of: $0.id, at: 1) == .ended })
        #expect(ended.hasRoom(for: "shop"))
        ended.sweep(at: 1_000 + 100 * 86_400)
        #expect(ended.count == 0 && ended.hasRoom(for: "shop"))
    }
}
