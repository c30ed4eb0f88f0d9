import Testing

@testable import Access

let home = ClientAddress(IPAddress(v4: 0xC000_0201))

func sessionClaims(
    form: String? = "checkout", operations: Set<FormOperation> = Set(FormOperation.allCases), scopes: ScopeSet = [],
    origin: String? = nil, paths: [String]? = nil, maxRequests: Int? = nil, issuedAt: Int64 = 1_000,
    expiresAt: Int64 = 1_900
) throws -> SessionClaims {
    SessionClaims(
        id: try #require(SessionID(bytes: (0..<16).map { _ in UInt8.random(in: 0...255) })), credential: "shop",
        form: form, operations: operations, scopes: scopes, origin: origin, paths: paths, maxRequests: maxRequests,
        issuedAt: issuedAt, expiresAt: expiresAt)
}

@Suite("What a caller may do")
struct CallerTests {
    private func refusal(
        _ caller: Caller, _ action: Action, origin: String? = nil, at now: Int64 = 1_500
    ) -> AccessRefusal? {
        do throws(AccessRefusal) {
            try caller.authorize(action, origin: origin, at: now)
            return nil
        } catch { return error }
    }

    private func form(
        _ name: String = "checkout", _ operation: FormOperation = .send, _ access: FormAccess = .session,
        path: String? = "/orders"
    ) -> Action {
        .form(name, operation, access: access, path: path)
    }

    @Test func anonymous() {
        let caller = Caller(anonymousAt: home)
        #expect(refusal(caller, form(access: .public)) == nil)
        #expect(refusal(caller, form()) == .unauthenticated)
        #expect(refusal(caller, form(access: .credential)) == .unauthenticated)
        #expect(refusal(caller, .route("orders")) == .unauthenticated)
        #expect(refusal(caller, .scope(.revealAliases)) == .unauthenticated)
    }

    private func form(access: FormAccess) -> Action { form("checkout", .send, access) }

    @Test func credentials() throws {
        var permissions = Permissions(
            scopes: [ScopeSet(.sendForms), ScopeSet(.sendRoutes)],
            forms: .matching([try #require(NamePattern("shop-*"))]),
            routes: .matching([try #require(NamePattern("acquirer"))]))
        func caller() -> Caller { Caller(credential: "shop", permissions, at: home) }
        #expect(refusal(caller(), form("shop-1")) == nil)
        #expect(refusal(caller(), form("checkout")) == .formNotAllowed)
        #expect(refusal(caller(), form("shop-1", .aliases)) == .missingScope(.createAliases))
        #expect(refusal(caller(), form("shop-1", .aliases, .public)) == nil)
        for access in [FormAccess.session, .credential] {
            #expect(refusal(caller(), form("shop-1", .validate, access)) == .missingScope(.createAliases))
        }
        #expect(refusal(caller(), form("shop-1", .validate, .public)) == nil)
        #expect(refusal(caller(), .route("acquirer")) == nil)
        #expect(refusal(caller(), .route("other")) == .routeNotAllowed)
        #expect(refusal(caller(), .scope(.revealAliases)) == .missingScope(.revealAliases))
        permissions.expiresAt = 1_500
        #expect(refusal(caller(), form("shop-1")) == .expired)
        #expect(refusal(caller(), form("shop-1"), at: 1_499) == nil)
        permissions.addresses = [try #require(Network("192.0.2.0/24"))]
        #expect(refusal(caller(), form("shop-1"), at: 1_499) == nil)
        permissions.addresses = [try #require(Network("10.0.0.0/8"))]
        #expect(refusal(caller(), form("shop-1"), at: 1_499) == .addressNotAllowed)
        // An address that a proxy hid may be any.
        let hidden = ClientAddress(IPAddress(v4: 0x0A00_0001), isProven: false)
        #expect(
            refusal(Caller(credential: "shop", permissions, at: hidden), form("shop-1"), at: 1) == .addressNotAllowed)
    }

    /// A token that names no forms is told so; a credential whose configuration has none of them is not one that names any.
    @Test func tokensWithoutForms() throws {
        let subject = TokenSubject(issuer: "https://idp.example", subject: "u", id: nil)
        for (forms, expected) in [
            (NameSet.matching([]), AccessRefusal.noFormsNamed),
            (.matching([try #require(NamePattern("shop-*"))]), .formNotAllowed),
        ] {
            let permissions = Permissions(scopes: .all, forms: forms)
            #expect(refusal(Caller(token: subject, permissions, at: home), form("checkout")) == expected)
            #expect(refusal(Caller(token: subject, permissions, at: home), .scope(.revealAliases)) == nil)
            #expect(refusal(Caller(credential: "a", permissions, at: home), form("checkout")) == .formNotAllowed)
            #expect(expected.status == 403 && expected.reason == nil)
        }
    }

    @Test func sessions() throws {
        let all = Permissions(scopes: .all, addresses: [try #require(Network("10.0.0.0/8"))])
        let session = try sessionClaims(
            operations: [.send, .validate], origin: "https://shop.example", paths: ["/orders/17"])
        let caller = Caller(session: session, of: all, at: home, now: 1_500)
        let origin = "https://shop.example"
        #expect(refusal(caller, form(path: "/orders/17"), origin: origin) == nil)
        #expect(refusal(caller, form("checkout", .validate, .session, path: nil), origin: origin) == nil)
        #expect(refusal(caller, form(path: "/orders/18"), origin: origin) == .wrongOperation)
        #expect(refusal(caller, form(path: nil), origin: origin) == .wrongOperation)
        #expect(refusal(caller, form("other"), origin: origin) == .wrongForm)
        #expect(refusal(caller, form("checkout", .aliases), origin: origin) == .wrongOperation)
        #expect(refusal(caller, form(path: "/orders/17"), origin: nil) == .wrongOrigin)
        #expect(refusal(caller, form(path: "/orders/17"), origin: "https://shop.example:444") == .wrongOrigin)
        #expect(refusal(caller, form("checkout", .validate, .credential), origin: origin) == .wrongOperation)
        #expect(refusal(caller, .route("acquirer"), origin: origin) == .wrongOperation)
        for scope in Scope.allCases {
            #expect(refusal(caller, .scope(scope), origin: origin) == .wrongOperation)
        }
        #expect(refusal(caller, form(path: "/orders/17"), origin: origin, at: 1_900) == .expired)
    }

    @Test func sessionsEndWithTheirCredential() throws {
        let session = try sessionClaims()
        #expect(refusal(Caller(session: session, of: nil, at: home, now: 1_500), form()) == .notASession)
        // Made while a clock was an hour ahead.
        #expect(
            refusal(Caller(session: session, of: Permissions(scopes: .all), at: home, now: 600), form()) == .notASession
        )
        let lessened = Caller(session: session, of: Permissions(scopes: []), at: home, now: 1_500)
        #expect(refusal(lessened, form()) == .wrongOperation)
        #expect(refusal(lessened, form("checkout", .validate)) == .wrongOperation)
        #expect(refusal(lessened, form("checkout", .validate, .public)) == nil)
        let moved = Permissions(scopes: .all, forms: .matching([]))
        #expect(refusal(Caller(session: session, of: moved, at: home, now: 1_500), form()) == .wrongForm)
        let expired = Permissions(scopes: .all, expiresAt: 1_400)
        #expect(refusal(Caller(session: session, of: expired, at: home, now: 1_500), form()) == .expired)
    }

    @Test func accessTokens() throws {
        let permissions = Permissions(
            scopes: [ScopeSet(.createAliases), ScopeSet(.revealAliases)],
            addresses: [try #require(Network("192.0.2.0/24"))])
        let claims = Caller.accessToken(
            for: "shop", permissions, scopes: [ScopeSet(.revealAliases), ScopeSet(.sendForms)],
            id: try sessionClaims().id, at: 1_000)
        #expect(claims.expiresAt == 2_200 && claims.scopes == ScopeSet(.revealAliases))
        let caller = Caller(session: claims, of: permissions, at: home, now: 1_500)
        #expect(refusal(caller, .scope(.revealAliases)) == nil)
        #expect(refusal(caller, .scope(.createAliases)) == .missingScope(.createAliases))
        #expect(refusal(caller, form("checkout", .validate, .credential)) == .missingScope(.createAliases))
        // An access token is as bound to addresses as the secret it was made with.
        let elsewhere = ClientAddress(IPAddress(v4: 1))
        let other = Caller(session: claims, of: permissions, at: elsewhere, now: 1_500)
        #expect(refusal(other, .scope(.revealAliases)) == .addressNotAllowed)
        #expect(caller.limitKey == .credential("shop"))
    }

    @Test func statusAndReason() {
        #expect(AccessRefusal.addressNotAllowed.status == 403 && AccessRefusal.missingScope(.sendForms).status == 403)
        let reasons: [AccessRefusal] = [
            .expired, .usedUp, .wrongOrigin, .wrongForm, .wrongOperation, .notASession, .badClaim(.subject),
        ]
        #expect(
            reasons.map(\.reason) == [
                "expired", "usedUp", "wrongOrigin", "wrongForm", "wrongOperation", "notASession", "badClaim",
            ])
        #expect(reasons.allSatisfy { $0.status == 401 })
    }

    @Test func keys() throws {
        let address = ClientAddress(try #require(IPAddress("2001:db8::7:1")))
        #expect(Caller(anonymousAt: address).limitKey == .address(ClientAddress(try #require(IPAddress("2001:db8::")))))
        let session = try sessionClaims()
        let caller = Caller(session: session, of: Permissions(scopes: .all), at: address, now: 1_500)
        #expect(caller.limitKey == .session(session.id) && caller.guessKeys.count == 2)
        #expect(caller.countedSession == nil)
        let hidden = Caller(anonymousAt: ClientAddress(address.address, isProven: false))
        #expect(hidden.limitKey == .address(ClientAddress(address.address.subscriber, isProven: false)))
    }
}
