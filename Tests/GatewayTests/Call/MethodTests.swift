import Configuration
import HTTPWire
import Testing

@testable import Gateway

@Suite struct MethodTests {
    /// Every endpoint with its methods: any other is refused, and `Allow` names those that are not.
    @Test(arguments: [
        ("/v1/forms", "GET, HEAD, OPTIONS"), ("/v1/forms/checkout", "GET, HEAD, OPTIONS"),
        ("/v1/forms/checkout/validate", "POST, OPTIONS"), ("/v1/forms/checkout/aliases", "POST, OPTIONS"),
        ("/v1/forms/checkout/tokens", "POST, OPTIONS"),
        ("/v1/forms/checkout/send/x", "GET, POST, PUT, PATCH, DELETE, OPTIONS"),
        ("/elements/v1/frame.html", "GET, HEAD, OPTIONS"), ("/aliases", "GET, HEAD, POST, OPTIONS"),
        ("/aliases/x", "GET, HEAD, PUT, DELETE, OPTIONS"), ("/tokens", "POST, OPTIONS"),
        ("/erasures/x", "GET, HEAD, OPTIONS"), ("/v1/sessions", "POST"), ("/v1/sessions/current", "DELETE"),
        ("/oauth/token", "POST"),
    ])
    func ofEndpoints(path: String, allowed: String) async throws {
        let gateway = try await GatewayFixture()
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "get"] {
            let answer = try await gateway.call("\(method) \(path)", [GatewayFixture.dev])
            let isAllowed = allowed.split(separator: ", ").contains { $0 == method }
            #expect((answer.status == 405) == !isAllowed, "\(method)")
            if !isAllowed || method == "OPTIONS" { #expect(answer["Allow"] == allowed, "\(method)") }
            if isAllowed, method == "OPTIONS" { #expect(answer.status == 204) }
        }
    }

    /// The segment `delete` is a path of its own with POST, and an alias with all other methods.
    @Test(arguments: [
        ("PATCH", 405, "GET, HEAD, POST, PUT, DELETE, OPTIONS"), ("OPTIONS", 204, "POST, OPTIONS"),
        ("POST", 415, nil), ("GET", 404, nil),
    ])
    func ofDeletion(method: String, status: Int, allowed: String?) async throws {
        let answer = try await GatewayFixture().call("\(method) /aliases/delete", [GatewayFixture.dev])
        #expect(answer.status == status && answer["Allow"] == allowed)
    }

    @Test func ofRoutes() {
        var route = Route.builtInEcho
        #expect(MethodSet(of: route).names == "GET, POST, PUT, PATCH, DELETE, OPTIONS")
        route.methods = ["DELETE", "GET"]
        let methods = MethodSet(of: route)
        #expect(methods.names == "GET, DELETE, OPTIONS")
        #expect(methods.takes(.delete) && methods.takes(.options) && !methods.takes(.head))
        for method in [Method.connect, .trace, .other("get"), .other("")] {
            #expect(!methods.takes(method) && !MethodSet.all.takes(method) && !MethodSet([]).takes(method))
        }
    }
}
