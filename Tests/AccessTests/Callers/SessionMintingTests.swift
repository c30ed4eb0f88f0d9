import Testing

@testable import Access

@Suite("Making sessions")
struct SessionMintingTests {
    private let access: [FormOperation: FormAccess] = [
        .validate: .public, .aliases: .session, .tokens: .credential, .send: .session,
    ]

    private func mint(_ body: String, _ permissions: Permissions, now: Int64 = 10_000) throws -> SessionClaims {
        try Caller(credential: "shop", permissions, at: home).session(
            for: SessionRequest(body: Array(body.utf8)), access: access, id: sessionClaims().id, at: now)
    }

    @Test func defaults() throws {
        let claims = try mint(#"{"form":"checkout"}"#, Permissions(scopes: .all))
        #expect(claims.form == "checkout" && claims.credential == "shop")
        #expect(claims.operations == [.validate, .aliases, .send])
        #expect(claims.issuedAt == 10_000 && claims.expiresAt == 10_900)
        #expect(claims.origin == nil && claims.paths == nil && claims.maxRequests == nil)
    }

    @Test func everythingGiven() throws {
        let body = """
            {"form": "checkout", "operations": ["validate", "aliases", "send"], "ttl": "24h", "maxRequests": 20,
             "origin": "https://shop.example", "paths": ["/orders/17"]}
            """
        let claims = try mint(body, Permissions(scopes: .all))
        #expect(claims.expiresAt == 10_000 + 86_400 && claims.maxRequests == 20)
        #expect(claims.origin == "https://shop.example" && claims.paths == ["/orders/17"])
    }

    @Test(arguments: ["/", "/orders/", "/orders/17", "/a..b/.c", "/a;b=%20?c"])
    func pathsThatASendCanReach(path: String) throws {
        #expect(try SessionRequest(body: Array(#"{"form":"a","paths":["\#(path)"]}"#.utf8)).paths == [path])
    }

    @Test func givesAwayOnlyWhatItHas() throws {
        let creating = ScopeSet(.createSessions)
        #expect(throws: AccessRefusal.missingScope(.createSessions)) {
            try mint(#"{"form":"checkout"}"#, Permissions(scopes: ScopeSet(.createAliases)))
        }
        #expect(throws: AccessRefusal.missingScope(.sendForms)) {
            try mint(#"{"form":"checkout","operations":["send"]}"#, Permissions(scopes: creating))
        }
        // By default it gives away what it has.
        #expect(try mint(#"{"form":"checkout"}"#, Permissions(scopes: creating)).operations == [.validate])
        #expect(throws: AccessRefusal.formNotAllowed) {
            try mint(#"{"form":"checkout"}"#, Permissions(scopes: .all, forms: .matching([])))
        }
        #expect(throws: AccessRefusal.unauthenticated) {
            try Caller(anonymousAt: home).session(
                for: SessionRequest(body: Array(#"{"form":"checkout"}"#.utf8)), access: access, id: sessionClaims().id,
                at: 1)
        }
        // A session of a form makes none.
        let session = try Caller(session: sessionClaims(), of: Permissions(scopes: .all), at: home, now: 1_500)
        #expect(throws: AccessRefusal.wrongOperation) {
            try session.session(
                for: SessionRequest(body: Array(#"{"form":"checkout"}"#.utf8)), access: access, id: sessionClaims().id,
                at: 1_500)
        }
    }

    /// What a maker gives away because everyone may do it anyway ends when everyone may not any more, whatever the credential may do
    /// by then.
    @Test(arguments: ["", #","operations":["tokens"]"#])
    func publicOperations(asked: String) throws {
        let claims = try Caller(credential: "shop", Permissions(scopes: ScopeSet(.createSessions)), at: home).session(
            for: SessionRequest(body: Array(#"{"form":"checkout"\#(asked)}"#.utf8)),
            access: [.validate: .public, .tokens: .public, .send: .session], id: sessionClaims().id, at: 10_000)
        #expect(claims.publicOnly == (asked.isEmpty ? [.validate, .tokens] : [.tokens]))
        #expect(claims.operations == claims.publicOnly)
        let read = try #require(SessionClaims(payload: claims.payload()))
        #expect(read == claims)
        let session = Caller(session: read, of: Permissions(scopes: .all), at: home, now: 10_000)
        for operation in claims.operations {
            try session.authorize(.form("checkout", operation, access: .public, path: nil), origin: nil, at: 10_000)
            #expect(throws: AccessRefusal.wrongOperation) {
                try session.authorize(
                    .form("checkout", operation, access: .session, path: nil), origin: nil, at: 10_000)
            }
        }
    }

    @Test func endsWithItsCredential() throws {
        let claims = try mint(#"{"form":"checkout"}"#, Permissions(scopes: .all, expiresAt: 10_100))
        #expect(claims.expiresAt == 10_100)
    }

    @Test func byATokenOfAnIdentityProvider() throws {
        let subject = TokenSubject(issuer: "https://idp.example", subject: "backend", id: nil)
        let caller = Caller(token: subject, Permissions(scopes: .all, expiresAt: 20_000), at: home)
        let claims = try caller.session(
            for: SessionRequest(body: Array(#"{"form":"checkout"}"#.utf8)), access: access, id: sessionClaims().id,
            at: 10_000)
        #expect(claims.issuer == "https://idp.example" && claims.credential == "backend")
        let session = Caller(session: claims, of: Permissions(scopes: .all), at: home, now: 10_000)
        try session.authorize(.form("checkout", .send, access: .session, path: "/"), origin: nil, at: 10_000)
    }

    @Test(arguments: [
        "", "[]", "{}", "null", #"{"form":""}"#, #"{"form":1}"#, #"{"form":"a","form":"b"}"#, #"{"form":"a","x":1}"#,
        #"{"form":"a","operations":[]}"#, #"{"form":"a","operations":["reveal"]}"#,
        #"{"form":"a","operations":["send","send"]}"#, #"{"form":"a","operations":"send"}"#, #"{"form":"a","ttl":900}"#,
        #"{"form":"a","ttl":"25h"}"#, #"{"form":"a","ttl":"0s"}"#, #"{"form":"a","ttl":"-1m"}"#,
        #"{"form":"a","ttl":"15"}"#,
        #"{"form":"a","ttl":"1e3s"}"#, #"{"form":"a","ttl":"nan"}"#, #"{"form":"a","ttl":"500ms"}"#,
        #"{"form":"a","maxRequests":0}"#, #"{"form":"a","maxRequests":1.5}"#, #"{"form":"a","maxRequests":1000001}"#,
        #"{"form":"a","maxRequests":"20"}"#, #"{"form":"a","origin":"shop.example"}"#,
        #"{"form":"a","origin":"https://shop.example/"}"#, #"{"form":"a","origin":"https://SHOP.example"}"#,
        #"{"form":"a","origin":"https://"}"#, #"{"form":"a","origin":"*"}"#, #"{"form":"a","origin":"null"}"#,
        #"{"form":"a","origin":["https://a"]}"#, #"{"form":"a","paths":[]}"#, #"{"form":"a","paths":["orders"]}"#,
        #"{"form":"a","paths":"/orders"}"#, #"{"form":"a","paths":["//orders"]}"#,
        #"{"form":"a","paths":["/a","/b/../c"]}"#,
        #"{"form":"a","paths":["/."]}"#, #"{"form":"a","paths":["/a\\b"]}"#, #"{"form":"a","paths":["/a\nb"]}"#,
        #"{"form":"a","paths":["/..;/b"]}"#, #"{"form":"a","paths":["/a/.;x=1"]}"#,
        #"{"form":"a","ttl":"1.d"}"#, #"{"form":"a","ttl":"1.2.3h"}"#, #"{"form":"a","ttl":"0.9999999999s"}"#,
        #"{"form":"a","ttl":"1.00000000001d"}"#, #"{"form":"a","ttl":"999999999999999d"}"#,
    ])
    func refuses(body: String) {
        #expect(throws: SessionRequest.Mistake.self) { try SessionRequest(body: Array(body.utf8)) }
    }

    /// What is asked for must be there: the form, and a route where `send` is named.
    @Test(
        arguments: [
            (#"{"form":"a"}"#, nil, "form: there is no such form"),
            (#"{"form":"a"}"#, [], nil),
            (#"{"form":"a","operations":["aliases"]}"#, [.aliases], nil),
            (#"{"form":"a","operations":["send"]}"#, [.aliases], "operations: the form has no route to send to"),
            (#"{"form":"a","operations":["send"]}"#, [.send], nil),
        ] as [(String, [FormOperation]?, String?)])
    func theFormMustBeThere(body: String, offered: [FormOperation]?, mistake: String?) throws {
        let request = try SessionRequest(body: Array(body.utf8))
        let access = offered.map { Dictionary(uniqueKeysWithValues: $0.map { ($0, FormAccess.session) }) }
        do throws(SessionRequest.Mistake) {
            #expect(try request.access(offered: access) == access)
            #expect(mistake == nil)
        } catch {
            #expect(error.description == mistake)
        }
    }

    @Test(arguments: [
        ("1s", 1), ("1500ms", 1), ("15m", 900), ("15min", 900), ("1.5h", 5_400), ("24h", 86_400), ("1d", 86_400),
        ("2.05m", 123), ("1.15h", 4_140), ("1.9999s", 1), ("1.000000000000d", 86_400), ("0.9999999999999d", 86_399),
    ])
    func lifetimes(text: String, seconds: Int64) throws {
        #expect(try SessionRequest(body: Array(#"{"form":"a","ttl":"\#(text)"}"#.utf8)).lifetime == seconds)
    }

    /// What a browser never sends as an `Origin` would make a session that nothing can use.
    @Test(arguments: [
        ("https://shop.example", true), ("http://localhost:3000", true), ("https://shop.example:8443", true),
        ("https://127.0.0.1", true), ("https://[::1]:8443", true), ("https://[2001:db8::a]", true),
        ("http://shop.example:443", true), ("https://shop.example:65535", true), ("https://a_b-c.example", true),
        ("https://shop.example:443", false), ("http://shop.example:80", false), ("https://shop.example:", false),
        ("https://shop.example:0", false), ("https://shop.example:08443", false), ("https://shop.example:65536", false),
        ("https://shop.example:b", false), ("https://:443", false), ("https://[", false), ("https://[]", false),
        ("https://[::1", false), ("https://[::1]x", false), ("https://[1.2.3.4]", false), ("https://[::A]", false),
        ("https://[0:0:0:0:0:0:0:1]", false), ("https://[2001:db8::0a]", false),
        ("https://[2001:db8:0:0:1:0:0:1]", false),
        ("https://[2001:db8::1:0:0:1]", true), ("https://[::ffff:192.0.2.1]", false),
        ("https://[::ffff:c000:201]", true),
        ("https://127.1", false), ("https://127.0.0.01", false), ("https://0x7f000001", false),
        ("https://127.0.0.1.", false),
        ("https://a.7", false), ("https://7.a", true), ("https://0xg", true), ("https://a:1:2", false),
        ("https://u@a", false), ("https://a b", false),
        ("https://b\u{fc}cher.example", false),
        ("HTTPS://shop.example", false), ("capacitor://localhost", false), ("https://shop.example?x", false),
    ])
    func origins(text: String, isOne: Bool) throws {
        let body = Array(#"{"form":"a","origin":"\#(text)"}"#.utf8)
        guard isOne else {
            #expect(throws: SessionRequest.Mistake.self) { try SessionRequest(body: body) }
            return
        }
        #expect(try SessionRequest(body: body).origin == text)
    }

    /// `sub` may be missing (RFC 7519 section 4.1.2). The session is found by its own claims all the same.
    @Test func byATokenWithoutASubject() throws {
        let caller = Caller(
            token: TokenSubject(issuer: "https://idp.example", subject: "", id: nil), Permissions(scopes: .all),
            at: home)
        let claims = try caller.session(
            for: SessionRequest(body: Array(#"{"form":"checkout"}"#.utf8)), access: access, id: sessionClaims().id,
            at: 10_000)
        #expect(SessionClaims(payload: claims.payload()) == claims)
        var own = claims
        own.issuer = nil
        #expect(SessionClaims(payload: own.payload()) == nil)
    }
}
