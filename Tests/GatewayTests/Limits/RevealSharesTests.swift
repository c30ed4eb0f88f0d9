import Access
import EventHTTP
import JSON
import Sensitive
import Testing
import Vault

@testable import Gateway

/// Responses with values, and what callers have of the room for them (docs/reference/access.md section 4).
@Suite struct RevealSharesTests {
    private static let mebibyte = 1 << 20

    private func usage(_ gateway: GatewayFixture) -> [String: Int] {
        var metrics = MetricsText()
        gateway.telemetry.write(into: &metrics)
        let lines = metrics.text.split(separator: "\n").map { $0.split(separator: " ") }
        return Dictionary(
            uniqueKeysWithValues: lines.compactMap { $0.count == 2 ? (String($0[0]), Int($0[1]) ?? 0) : nil })
    }

    /// Clients that do not read: a credential has half of the room for their responses, and gets it back when they end.
    @Test(arguments: ["GET /aliases?q=", "GET /aliases/", "POST /aliases"])
    func responsesThatAreNotReadAreBounded(line: String) async throws {
        let gateway = try await GatewayFixture()
        let value = SensitiveText(String(repeating: "x", count: 15 * Self.mebibyte))
        let made = try await gateway.vault.create([.value(value, format: .uuid)])
        let alias = try #require(made.first?.aliases.first?.alias)
        let json = line.hasPrefix("POST") ? #"{"data":[{"alias":"\#(alias)","format":"RAW_UUID"}]}"# : nil
        let call = { try await gateway.held(json == nil ? line + alias : line, [GatewayFixture.dev], json: json) }
        var unread: [GatewayFixture.Held] = []
        for _ in 0..<4 { unread.append(try await call()) }
        #expect(unread.allSatisfy { [200, 201].contains($0.status) })
        #expect(try #require(usage(gateway)["cloakroom_revealed_bytes"]) > 60 * Self.mebibyte)
        let refused = try await call()
        #expect(refused.status == 503 && refused["Retry-After"] == "1")
        #expect(usage(gateway)["cloakroom_reveal_refusals_total"] == 1)
        unread.removeLast()
        #expect([200, 201].contains(try await call().status))
        unread = []
        #expect(usage(gateway)["cloakroom_revealed_bytes"] == 0)
    }

    /// - Parameter held: bytes that the caller's other responses take.
    @Test(arguments: [
        // Small ones are not counted.
        (64 * mebibyte, 16_384, true, 0), (64 * mebibyte, 16_385, false, 0), (0, 16_385, true, 16_385),
        (32 * mebibyte, 32 * mebibyte, true, 32 * mebibyte), (32 * mebibyte + 1, 32 * mebibyte, false, 0),
        // What could be stored can be revealed, by a caller without others.
        (0, 200 * mebibyte, true, 64 * mebibyte), (20_000, 200 * mebibyte, false, 0),
    ])
    func aResponseHasRoom(held: Int, count: Int, has: Bool, counted: Int) async throws {
        let shares = RevealShares(telemetry: try await GatewayFixture().telemetry)
        let caller = Caller(credential: "shop", Permissions(scopes: .all), at: ClientAddress(IPAddress(v4: 1)))
        let other = shares.share(of: caller)
        #expect(other.grow(to: held))
        let before = shares.used
        let share = shares.share(of: caller)
        #expect(share.grow(to: count) == has)
        #expect(share.grow(to: count) == has && shares.used == before + counted)
        #expect(share.grow(to: 1))
    }

    /// A response that is there counts for its own length, though it may be longer than was thought, or shorter.
    @Test func whatIsThereCountsForItsLength() async throws {
        let shares = RevealShares(telemetry: try await GatewayFixture().telemetry)
        let caller = Caller(credential: "shop", Permissions(scopes: .all), at: ClientAddress(IPAddress(v4: 1)))
        do {
            let (other, share) = (shares.share(of: caller), shares.share(of: caller))
            #expect(other.grow(to: 60 * Self.mebibyte))
            for (count, counted) in [
                (10 * Self.mebibyte, 10 * Self.mebibyte), (20_000, 20_000), (16_384, 0), (17_000, 17_000),
            ] {
                share.settle(at: count)
                #expect(shares.used == 60 * Self.mebibyte + counted)
            }
            withExtendedLifetime((other, share)) {}
        }
        #expect(shares.used == 0)
    }
}
