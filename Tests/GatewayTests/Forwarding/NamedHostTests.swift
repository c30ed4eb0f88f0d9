import Access
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

    private func gateway(
        _ address: SocketAddress, upstream: StandIn? = nil, connections: Int = 1
    ) async throws -> GatewayFixture {
        let hosts = ["tntk2d7", "tntk2d7-\(Self.routeID)", "tntk2d7-\(Self.otherID)"]
        let ca = TestCertificates.shared.path("ca")
        var gateway = try await GatewayFixture(
            form: Self.form,
            routes: routes(
                """
                {name: vgs, kind: vgs, tenantId: tntk2d7, tls: {ca: "\(ca)"}, pool: {connections: \(connections), queue: 4},
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

    /// A stranger has two of the eight places, to whatever hosts. Each host's own connections would give it two more.
    @Test func aRequestWithoutAPlaceIsRefused() async throws {
        let certificates = TestCertificates.shared
        let tls = try TLSServerContext(
            certificateChain: certificates.path("tenant"), privateKey: certificates.path("tenant.key"))
        let (refusals, refused) = AsyncStream.makeStream(of: Void.self)
        let stand = try StandIn(tls: tls) { _ in
            for await _ in refusals { break }
            return .json("{}")
        }
        let gateway = try await gateway(stand.address, upstream: stand, connections: 8)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for id in [Self.routeID, Self.routeID, Self.otherID] {
                group.addTask { try await send(gateway, ["VGS-Route-Id: \(id)"]) }
            }
            let first = try await group.next()
            refused.finish()
            let (second, third) = (try await group.next(), try await group.next())
            #expect(first == 503 && second == 200 && third == 200)
        }
        #expect(stand.requests.count == 2)
    }

    private func upstream(_ more: String = "") throws -> Upstream {
        let text = "{name: vgs, kind: vgs, tenantId: tntk2d7, pool: {connections: 8}\(more)}"
        return try Upstream(try #require(routes(text).last), trust: nil)
    }

    private static func stranger(_ last: UInt32) -> Shares.Holder {
        Caller(anonymousAt: ClientAddress(IPAddress(v4: 0xC000_0200 + last))).holder
    }

    private func credential(_ name: String) -> Shares.Holder {
        let address = ClientAddress(IPAddress(v4: 0xC000_0200))
        return Caller(credential: name, Permissions(scopes: .all), at: address).holder
    }

    private func take(_ count: Int, of upstream: Upstream, for holder: Shares.Holder) -> Int {
        (0..<count).count { _ in upstream.addRequestToNamedHost(of: holder) }
    }

    /// All callers of all loops together have as many as a loop has connections to the route's own host, and none has all of them.
    @Test func thereAreAsManyPlacesAsConnections() throws {
        let upstream = try upstream()
        let (stranger, other) = (Self.stranger(1), Self.stranger(2))
        let shop = credential("shop")
        #expect(take(8, of: upstream, for: stranger) == 2)
        #expect(take(8, of: upstream, for: other) == 1)
        #expect(take(8, of: upstream, for: shop) == 3)
        upstream.removeRequestToNamedHost(of: shop, after: nil)
        #expect(take(8, of: upstream, for: shop) == 1)
        var all = 0
        for number in 0..<20 { all += take(8, of: upstream, for: credential("shop \(number)")) }
        #expect(all == 2)
    }

    @Test func aRouteWhoseHostIsFixedHasNone() throws {
        let fixed = try upstream(", routeId: \(Self.routeID)")
        #expect(take(1, of: fixed, for: Self.stranger(1)) == 0)
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
