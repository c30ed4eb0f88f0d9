import Testing

@testable import Gateway

/// A second `Authorization`, `Content-Type` or `Origin` makes a request malformed, whoever it is for.
@Suite struct RepeatedHeaderTests {
    private static let item = #"{"data":[{"value":"a","format":"UUID"}]}"#
    private static let submission = #"{"fields":{"note":"n"}}"#

    @Test(arguments: [
        ("POST /aliases", item), ("POST /tokens", item), ("GET /aliases/a", nil),
        ("POST /v1/forms/checkout/validate", submission), ("POST /v1/forms/checkout/aliases", submission),
        ("GET /v1/forms", nil), ("POST /v1/routes/r/x", "{}"), ("GET /nowhere", nil),
    ])
    func areMalformed(line: String, json: String?) async throws {
        let gateway = try await GatewayFixture()
        for repeated in [
            [GatewayFixture.dev, GatewayFixture.dev], [GatewayFixture.dev, "authorization: Bearer w"],
            ["Content-Type: application/json", "CONTENT-TYPE: application/json"],
            ["Origin: https://shop.example", "origin: https://evil.example"],
        ] {
            let answer = try await gateway.call(line, repeated, body: json ?? "")
            #expect(answer.status == 400)
            let isVault = line.contains(" /aliases") || line.contains(" /tokens")
            #expect(isVault ? answer.detail != nil : answer.problem == "400/malformedRequest")
            #expect(answer.body.contains("is given more than once"))
        }
        let once = try await gateway.call(line, [GatewayFixture.dev], json: json)
        #expect(once.status != 400)
    }
}
