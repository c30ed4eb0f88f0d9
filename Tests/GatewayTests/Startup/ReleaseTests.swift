import AuditLog
import AuditLogTesting
import Testing
import Vault

@testable import Gateway

/// A router whose last reference is released leaves nothing behind: its audit log would keep a thread and a file open.
@Suite struct ReleaseTests {
    @Test func allPartsAreReleased() async throws {
        weak var router: Router?
        weak var audit: AuditLog?
        weak var vault: Vault?
        weak var telemetry: Telemetry?
        do {
            let gateway = try await GatewayFixture()
            #expect(try await gateway.call("GET /v1/forms", [GatewayFixture.dev]).status == 200)
            (router, audit) = (gateway.router, gateway.audit.log)
            (vault, telemetry) = (gateway.vault, gateway.telemetry)
        }
        // Threads may still hold what they work on.
        for _ in 0..<500 where router != nil || audit != nil || vault != nil || telemetry != nil {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(router == nil && audit == nil && vault == nil && telemetry == nil)
    }
}
