import Access
import AuditLog
import AuditLogTesting
import Sensitive
import Testing
import Vault

@testable import Gateway

/// The aliases of a narrow format have a share for each caller (docs/reference/access.md section 4).
@Suite struct NarrowSpaceTests {
    private func item(_ storage: String) -> String {
        #"{"data":[{"value":"321","format":"NUM_LENGTH_PRESERVING","storage":"\#(storage)"}]}"#
    }

    /// Three digits have a thousand aliases but for the value itself. A backend may use up all of them: then the space is exhausted.
    @Test func aCredentialMayHaveAll() async throws {
        let gateway = try await GatewayFixture(volatileCapacity: 10_000)
        func create() async throws -> GatewayFixture.Response {
            try await gateway.call("POST /aliases", [GatewayFixture.dev], json: item("VOLATILE"))
        }
        for _ in 0..<999 { #expect(try await create().status == 201) }
        #expect(try await create().status == 507)
        // Formats with room are not concerned.
        let wide = #"{"data":[{"value":"321","format":"UUID","storage":"VOLATILE"}]}"#
        #expect(try await gateway.call("POST /aliases", [GatewayFixture.dev], json: wide).status == 201)
    }

    /// A stranger gets a part, and is told when it may have more; another still gets some.
    @Test func aStrangerHasAShare() async throws {
        let gateway = try await GatewayFixture(volatileCapacity: 10_000)
        let narrow = NarrowSpaceShares(lifetime: 3_600, telemetry: gateway.telemetry)
        func create(_ address: UInt32) async throws(VaultError) {
            let stranger = Caller(anonymousAt: ClientAddress(IPAddress(v4: address)))
            _ = try await gateway.vault.create(
                [.value(SensitiveText("321"), format: .numLengthPreserving, storage: .volatile)],
                admission: AliasAdmission(reaches: { _ in true }) { narrow.take(from: $0, for: stranger.holder) })
        }
        var (count, wait) = (0, 0)
        do throws(VaultError) {
            while count < 999 {
                try await create(1)
                count += 1
            }
        } catch {
            guard case .aliasShareUsed(.numLengthPreserving, let seconds) = error else { throw error }
            wait = seconds
        }
        #expect((100...400).contains(count) && (3_000...3_600).contains(wait), "\(count), \(wait)")
        for _ in 0..<50 { try await create(2) }
    }

    /// What has an alias already gets it again when none is free.
    @Test func reuseIsNotRefused() async throws {
        let gateway = try await GatewayFixture()
        func create(_ number: Int) async throws -> Int {
            let value = String(String(number + 1_000).suffix(3))
            let json = #"{"data":[{"value":"\#(value)","format":"NUM_LENGTH_PRESERVING"}]}"#
            return try await gateway.call("POST /aliases", [GatewayFixture.dev], json: json).status
        }
        for number in 0..<900 { #expect(try await create(number) == 201) }
        for number in 0..<900 where number % 10 == 0 { #expect(try await create(number) == 201) }
    }
}
