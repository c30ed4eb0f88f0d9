import EventIO
import EventIOTesting
import Testing

@testable import EventHTTP
@testable import Gateway

/// Places for requests whose caller names the host (`VGS-Route-Id`): they are few, and come back however an exchange ends.
@Suite struct NamedHostTests {
    private static let routeID = "7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11"
    private static let otherID = "0a0a0a0a-41de-4b0c-9a77-0f5d2c9b6e11"
    private static let form = """
        form: checkout
        route: vgs
        fields:
          - {name: note}
        """
    private static let submission = #"{"fields":{"note":"n"}}"#

    private func gateway(_ address: SocketAddress, upstream: StandIn? = nil) async throws -> GatewayFixture {
        let hosts = ["tntk2d7", "tntk2d7-\(Self.routeID)", "tntk2d7-\(Self.otherID)"]
        let ca = TestCertificates.shared.path("ca")
        var gateway = try await GatewayFixture(
            form: Self.form,
            routes: routes(
                """
                {name: vgs, kind: vgs, tenantId: tntk2d7, tls: {ca: "\(ca)"}, pool: {connections: 1, queue: 4},
                 breaker: {failures: 0}}
                """),
            connectTo: Dictionary(
                uniqueKeysWithValues: hosts.map { ("\($0).sandbox.verygoodproxy.com", address) }))
        gateway.upstream = upstream
        return gateway
    }

    private func tenant() throws -> StandIn {
        let certificates = TestCertificates.shared
        return try StandIn(
            tls: TLSServerContext(
                certificateChain: certificates.path("tenant"), privateKey: certificates.path("tenant.key")),
            status: 200, json: "{}")
    }

    private func send(_ gateway: GatewayFixture, _ headers: [String] = ["VGS-Route-Id: \(routeID)"]) async throws -> Int
    {
        try await gateway.call("POST /v1/forms/checkout/send/post", headers, json: Self.submission).status
    }

    @Test func aPlaceComesBackAfterASuccess() async throws {
        let stand = try tenant()
        let gateway = try await gateway(stand.address, upstream: stand)
        for _ in 0..<4 { #expect(try await send(gateway) == 200) }
    }

    @Test func aPlaceComesBackAfterAFailure() async throws {
        // Nothing listens at port 1 of this machine.
        let gateway = try await gateway(try #require(SocketAddress("127.0.0.1", port: 1)))
        let first = try await send(gateway)
        #expect(first >= 500)
        for _ in 0..<4 { #expect(try await send(gateway) == first) }
    }

    /// It would wait for a connection of its route's otherwise, and those who name hosts could take all of them.
    @Test func aRequestWithoutAPlaceIsRefused() async throws {
        let certificates = TestCertificates.shared
        let tls = try TLSServerContext(
            certificateChain: certificates.path("tenant"), privateKey: certificates.path("tenant.key"))
        let (refusals, refused) = AsyncStream.makeStream(of: Void.self)
        let stand = try StandIn(tls: tls) { _ in
            for await _ in refusals { break }
            return .json("{}")
        }
        let gateway = try await gateway(stand.address, upstream: stand)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<2 { group.addTask { try await send(gateway) } }
            let first = try await group.next()
            refused.finish()
            let second = try await group.next()
            #expect(first == 503 && second == 200)
        }
        #expect(stand.requests.count == 1)
    }

    @Test func thereAreAsManyPlacesAsConnections() throws {
        let route = try #require(
            routes("{name: o, kind: upstream, url: \"http://x.example\", allowPlaintext: true, pool: {connections: 2}}")
                .last)
        let upstream = try Upstream(route, trust: nil)
        #expect(upstream.addRequestToNamedHost() && upstream.addRequestToNamedHost())
        #expect(!upstream.addRequestToNamedHost())
        upstream.removeRequestToNamedHost(after: nil)
        #expect(upstream.addRequestToNamedHost())
        #expect(!upstream.addRequestToNamedHost())
    }

    /// A repetition to another host is another request.
    @Test func theHostIsPartOfAnIdempotentRequest() async throws {
        let stand = try tenant()
        let gateway = try await gateway(stand.address, upstream: stand)
        let key = "Idempotency-Key: 1"
        #expect(try await send(gateway, [key, GatewayFixture.dev, "VGS-Route-Id: \(Self.routeID)"]) == 200)
        let status = try await send(gateway, [key, GatewayFixture.dev, "VGS-Route-Id: \(Self.otherID)"])
        #expect(status == 422 || status == 409)
        #expect(stand.requests.count == 1)
    }
}
