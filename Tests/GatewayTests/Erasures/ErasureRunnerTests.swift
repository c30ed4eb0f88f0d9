import AuditLog
import AuditLogTesting
import Foundation
import Interposing
import Sensitive
import Testing
import Vault
import VaultTesting

@testable import Gateway

@Suite struct ErasureRunnerTests {
    /// While the audit log cannot be written, nothing is erased; afterwards an erasure goes on, and its end is in the log.
    @Test func nothingIsErasedThatCannotBeRecorded() async throws {
        let gateway = try await GatewayFixture()
        let (vault, audit) = (gateway.vault, gateway.audit)
        let alias = try await vault.alias(
            .value(SensitiveText("erased"), format: .uuid, classifiers: ["gone"], storage: .persistent, expiresAt: nil))
        let begun = try await vault.beginErasure(classifier: "gone", storage: nil, requestID: "r-1", credential: "dev")
        let runner = ErasureRunner(vault: vault, audit: audit.log, telemetry: gateway.telemetry)

        interposed_fail_writes(audit.path, .max)
        await #expect(throws: AuditFailure.self) { try await audit.log.recordDurably(AuditEvent(.reveal)) }
        for _ in 0..<10 {
            runner.wake()
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await vault.erasure(begun.id)?.finishedAt == nil)
        #expect(await vault.value(alias) == "erased")

        interposed_fail_writes(audit.path, 0)
        for _ in 0..<600 where try await vault.erasure(begun.id)?.finishedAt == nil {
            runner.wake()
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await vault.erasure(begun.id)?.values == 1)
        #expect(await vault.value(alias) == nil)
        await runner.stop()
        await audit.log.close()
        let log = try String(contentsOfFile: audit.path, encoding: .utf8)
        #expect(log.contains(#""event":"erase","outcome":"done""#))
    }
}
