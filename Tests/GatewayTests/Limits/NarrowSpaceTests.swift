import Foundation
import JSON
import Sensitive
import Testing

@testable import Configuration
@testable import Gateway

/// The aliases of a narrow format have a share for each caller (docs/reference/access.md section 4).
@Suite struct NarrowSpaceTests {
    private static let other = CredentialSettings(
        name: "other", username: "other", secrets: [.text(SensitiveText("other-secret-of-the-tests"))],
        scopes: [.createAliases])
    private static let authorization =
        "Authorization: Basic " + Data("other:other-secret-of-the-tests".utf8).base64EncodedString()

    private func item(_ storage: String) -> String {
        #"{"data":[{"value":"321","format":"NUM_LENGTH_PRESERVING","storage":"\#(storage)"}]}"#
    }

    /// Three digits have a thousand aliases. One caller gets about half of them, is told when it may have more, and another still
    /// gets some.
    @Test func oneCallerDoesNotGetAll() async throws {
        let gateway = try await GatewayFixture(volatileCapacity: 10_000, credentials: [Self.other])
        func create(_ authorization: String) async throws -> GatewayFixture.Response {
            try await gateway.call("POST /aliases", [authorization], json: item("VOLATILE"))
        }
        var count = 0
        var refused: GatewayFixture.Response?
        while refused == nil, count < 1_000 {
            let response = try await create(GatewayFixture.dev)
            if response.status == 201 { count += 1 } else { refused = response }
        }
        #expect((300...650).contains(count), "\(count)")
        #expect(refused?.status == 503)
        // The vault's default lifetime of volatile values, in eighths.
        #expect(refused?["Retry-After"].flatMap { Int($0) }.map { (3_000...3_600).contains($0) } == true)
        for _ in 0..<100 { #expect(try await create(Self.authorization).status == 201) }
        // Formats with room are not concerned.
        let wide = #"{"data":[{"value":"321","format":"UUID","storage":"VOLATILE"}]}"#
        #expect(try await gateway.call("POST /aliases", [GatewayFixture.dev], json: wide).status == 201)
        var metrics = MetricsText()
        gateway.telemetry.write(into: &metrics)
        #expect(metrics.text.contains("cloakroom_alias_share_refusals_total 1\n"))
    }

    /// What has an alias already gets it again, however many the caller has.
    @Test func reuseIsNotRefused() async throws {
        let gateway = try await GatewayFixture()
        func create(_ number: Int) async throws -> Int {
            let value = String(String(number + 1_000).suffix(3))
            let json = #"{"data":[{"value":"\#(value)","format":"NUM_LENGTH_PRESERVING"}]}"#
            return try await gateway.call("POST /aliases", [GatewayFixture.dev], json: json).status
        }
        var made = 0
        while try await create(made) == 201 { made += 1 }
        #expect((300...650).contains(made), "\(made)")
        for number in 0..<made where number % 10 == 0 { #expect(try await create(number) == 201) }
        #expect(try await create(made) == 503)
    }
}
