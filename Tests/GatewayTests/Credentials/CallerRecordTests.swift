import Testing

@testable import Access
@testable import Gateway

/// What logs say of callers.
@Suite struct CallerRecordTests {
    private static let address = ClientAddress(IPAddress(v4: 0x7F00_0001))

    /// Identity providers name people as they like, even by their cards.
    @Test(arguments: [
        ("auth0|anna", "auth0|anna"), ("4539600166594134", "************4134"),
        ("4539600166594135", "4539600166594135"),
        ("card 4539 6001 6659 4134", "card **** **** **** 4134"),
    ])
    func cardNumbersInTokensAreMasked(given: String, shown: String) throws {
        let token = Caller(
            token: TokenSubject(issuer: "https://login.example", subject: given, id: given), Permissions(scopes: []),
            at: Self.address)
        #expect(token.name == shown && token.sessionID == shown)
        #expect(token.owner?.contains(given) == true)
        var claims = SessionClaims(
            id: try #require(SessionID(bytes: [UInt8](repeating: 1, count: 16))), credential: given, form: "checkout",
            operations: [.send], scopes: [], issuedAt: 0, expiresAt: 60)
        #expect(Caller(session: claims, of: nil, at: Self.address, now: 0).name == given)
        claims.issuer = "https://login.example"
        #expect(Caller(session: claims, of: nil, at: Self.address, now: 0).name == shown)
    }
}
