import Access
import AuditLogTesting
import EventIO
import EventIOTesting
import JSON
import Testing

@testable import Configuration
@testable import EventHTTP
@testable import Gateway

/// What a VGS tenant gets (proxy, section 4), from a stand-in with a certificate for the tenant's host.
@Suite struct TenantTests {
    private static let routeID = "7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11"
    private static let form = """
        form: checkout
        route: vgs
        fieldNameMappingPolicy: nestedJSON
        fields:
          - {name: card.pan, type: cardNumber, isRequired: true, isRequiredValidOnly: true, tokenization: {}}
          - {name: card.code, type: cvc, tokenization: {}}
          - {name: empty}
        """
    private static let submission = """
        {"fields":{"card.pan":"4539 6001 6659 4134","card.code":"321"},"extraData":{"order":{"id":17},"card":{"holder":"Ann Li"}}}
        """
    private static let body = """
        {"order":{"id":17},"card":{"holder":"Ann Li","pan":"4539600166594134","code":"321"},"empty":""}
        """

    private func gateway(_ stand: StandIn, _ more: String = "", trusting authority: String = "ca") async throws
        -> GatewayFixture
    {
        let ca = TestCertificates.shared.path(authority)
        var gateway = try await GatewayFixture(
            form: Self.form,
            routes: routes(
                "{name: vgs, kind: vgs, tenantId: tntk2d7, forwardHeaders: [X-One], tls: {ca: \"\(ca)\"}\(more)}"),
            connectTo: [
                "tntk2d7.sandbox.verygoodproxy.com": stand.address,
                "tntk2d7-\(Self.routeID).sandbox.verygoodproxy.com": stand.address,
            ])
        gateway.upstream = stand
        return gateway
    }

    private func tenant(_ certificate: String = "tenant") throws -> StandIn {
        let certificates = TestCertificates.shared
        let tls = try TLSServerContext(
            certificateChain: certificates.path(certificate), privateKey: certificates.path("\(certificate).key"))
        return try StandIn(tls: tls, status: 201, json: #"{"json":{}}"#)
    }

    /// The card number is meant to be in the card field, and nowhere else: a tenant redacts the pointers of card fields.
    @Test(arguments: ["refuse", "mask", "report"])
    func theCardInAnotherFieldIsFound(action: String) async throws {
        let grouped = "my card 4539 6001 6659 4134"
        for (field, note) in [("", "\"\(grouped)\""), ("", "4539600166594134"), (grouped, "1")] {
            let stand = try tenant()
            let gateway = try await gateway(stand, ", guard: {pan: \(action)}")
            let submission =
                #"{"fields":{"card.pan":"4539 6001 6659 4134","empty":"\#(field)"},"extraData":{"note":\#(note)}}"#
            let answer = try await gateway.call("POST /v1/forms/checkout/send/post", json: submission)
            let card = #""card":{"pan":"4539600166594134","code":""},"#
            let body = stand.requests.first?.body
            let findings = try await gateway.audit.lines().filter { $0.contains(#""event":"cardNumber""#) }
            #expect(findings.count == 1 && findings[0].contains(field.isEmpty ? "/note" : "/empty"), "\(findings)")
            switch action {
            case "refuse":
                #expect(answer.problem == "400/cardNumberRefused" && stand.requests.isEmpty)
            case "mask":
                let masked = note.contains("my") ? "\"my card **** **** **** 4134\"" : "\"************4134\""
                let shown = field.isEmpty ? "" : "my card **** **** **** 4134"
                #expect(body == "{\"note\":\(note == "1" ? note : masked),\(card)\"empty\":\"\(shown)\"}")
            default: #expect(answer.status == 201 && body == "{\"note\":\(note),\(card)\"empty\":\"\(field)\"}")
            }
        }
    }

    /// What card fields send is not a find, and comes to the tenant as it is.
    @Test(arguments: ["refuse", "mask", "report", "off"])
    func theCardInItsFieldIsMeant(action: String) async throws {
        let stand = try tenant()
        let gateway = try await gateway(stand, ", guard: {pan: \"\(action)\"}")
        let answer = try await gateway.call("POST /v1/forms/checkout/send/post", json: Self.submission)
        #expect(answer.status == 201 && stand.requests.first?.body == Self.body)
        #expect(try await gateway.audit.lines().allSatisfy { !$0.contains(#""event":"cardNumber""#) })
    }

    @Test func theFormGoesRawOverVerifiedTLS() async throws {
        let stand = try tenant()
        let answer = try await gateway(stand).call(
            "POST /v1/forms/checkout/send/post", ["X-One: 1", "VGS-Route-Id: "], json: Self.submission)
        #expect(answer.status == 201 && answer.body == #"{"json":{}}"# && answer["Cloakroom-Upstream-Status"] == "201")
        let request = try #require(stand.requests.first)
        #expect(request.line == "POST /post" && request.body == Self.body)
        #expect(request["Host"] == "tntk2d7.sandbox.verygoodproxy.com")
        #expect(request["Content-Type"] == "application/json" && request["X-One"] == "1")
        #expect(request["VGS-Route-Id"] == nil && request["vgs-client"] == nil)
    }

    @Test(arguments: [("", ["VGS-Route-Id: \(routeID)"]), (", routeId: \(routeID)", [])])
    func aRouteIDIsPartOfTheHost(more: String, headers: [String]) async throws {
        let stand = try tenant()
        let answer = try await gateway(stand, more).call(
            "POST /v1/forms/checkout/send/", headers, json: Self.submission)
        #expect(answer.status == 201)
        #expect(stand.requests.first?["Host"] == "tntk2d7-\(Self.routeID).sandbox.verygoodproxy.com")
        #expect(stand.requests.first?.line == "POST /")
    }

    /// A request to another of the tenant's routes is another request under an idempotency key.
    @Test func aRouteIDIsPartOfTheRequest() async throws {
        let stand = try tenant()
        let gateway = try await gateway(stand)
        let keyed = ["Idempotency-Key: k", GatewayFixture.dev]
        let call = { (headers: [String]) in
            try await gateway.call("POST /v1/forms/checkout/send/post", headers, json: Self.submission)
        }
        #expect(try await call(keyed).status == 201)
        #expect(try await call(keyed + ["VGS-Route-Id: \(Self.routeID)"]).status == 422)
        #expect(stand.requests.count == 1)
    }

    @Test(arguments: ["7f3c0a5241de4b0c9a770f5d2c9b6e11", "route-1", "../x"])
    func aBadRouteIDIsRefused(_ id: String) async throws {
        let stand = try tenant()
        let answer = try await gateway(stand).call(
            "POST /v1/forms/checkout/send/post", ["VGS-Route-Id: \(id)"], json: Self.submission)
        #expect(answer.status == 400 && answer.problem == "1480/invalidConfigurationURL")
        #expect(stand.requests.isEmpty)
    }

    @Test(arguments: [("server", "ca"), ("tenant", "stranger")])
    func nothingGoesToWhoeverIsNotTheTenant(certificate: String, authority: String) async throws {
        let stand = try tenant(certificate)
        let answer = try await gateway(stand, trusting: authority).call(
            "POST /v1/forms/checkout/send/post", json: Self.submission)
        #expect(answer.status == 502 && answer.problem == "-1200/secureConnectionFailed")
        #expect(stand.requests.isEmpty)
    }

    /// A host that a caller has made up says nothing of the tenant's own.
    @Test func hostsThatCallersNameRestNobody() async throws {
        let stand = try tenant()
        let gateway = try await gateway(stand, ", breaker: {failures: 1, rest: 1h}")
        let call = { (headers: [String]) in
            try await gateway.call("POST /v1/forms/checkout/send/post", headers, json: Self.submission)
        }
        for _ in 0..<3 {
            let answer = try await call(["VGS-Route-Id: 00000000-0000-4000-8000-000000000000"])
            #expect(answer.status == 502 && answer.problem == "-1003/cannotFindHost")
        }
        #expect(try await call([]).status == 201)
        #expect(try await call(["VGS-Route-Id: \(Self.routeID)"]).status == 201)
    }

    /// However many of them there are, they have no more connections together than the route may have, keep hardly any, and their
    /// names are not looked up in front of the tenant's own.
    @Test func hostsThatCallersNameTakeNobodysPlace() throws {
        let made = try routes("{name: vgs, kind: vgs, tenantId: tntk2d7, pool: {connections: 2}}")
        let route = try #require(made.first { $0.name == "vgs" })
        let upstream = try Upstream(route, trust: TLSClientContext())
        let address = ClientAddress(IPAddress(v4: 0xC000_0201))
        let callers = ["a", "b", "c"].map { Caller(credential: $0, Permissions(scopes: .all), at: address).holder }
        #expect(callers.map { upstream.addRequestToNamedHost(of: $0) } == [true, true, false])
        upstream.removeRequestToNamedHost(of: callers[0], after: nil)
        #expect(upstream.addRequestToNamedHost(of: callers[2]))
        let base = BaseURL(isSecure: true, host: "a.example", port: 443, path: "/")
        let own = try #require(upstream.origin(of: base, isHostNamed: false))
        let named = try #require(upstream.origin(of: base, isHostNamed: true))
        #expect(named.pool.idle == 1 && own.pool.idle > 1)
        #expect(named.resolver === Resolver.forCallers && own.resolver === Resolver.shared)
    }
}
