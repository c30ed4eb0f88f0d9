import AuditLog
import Vault

/// Carries out the erasures that are under way, one after the other and each in short steps. Those of a process that has ended go on in
/// the next one, or in another that shares the vault.
final class ErasureRunner: Sendable {
    /// Between two steps, so that other requests come first.
    private static let pause = Duration.milliseconds(1)

    private let vault: Vault
    private let audit: AuditLog
    private let telemetry: Telemetry
    private let passes = PassRunner()

    init(vault: Vault, audit: AuditLog, telemetry: Telemetry) {
        self.vault = vault
        self.audit = audit
        self.telemetry = telemetry
    }

    /// Goes on with what is under way; returns at once.
    func wake() {
        passes.wake { [self] in
            do throws(VaultError) {
                for id in try await vault.openErasures() { await run(id) }
            } catch { telemetry.recordVaultFailure(error) }
        }
    }

    /// An error in one erasure, such as a damaged record, does not stop the others.
    private func run(_ id: String) async {
        do throws(VaultError) { try await finish(id) } catch { telemetry.recordVaultFailure(error) }
    }

    /// Returns once no step is under way; none begins any more.
    func stop() async { await passes.stop() }

    private func finish(_ id: String) async throws(VaultError) {
        while !passes.isStopping {
            // While the log cannot be written, which is reported, nothing is erased: the next pass goes on.
            guard audit.failure == nil, let reservation = try? audit.reserve() else { return }
            guard let erasure = try await vault.advance(erasure: id) else { return }
            if erasure.finishedAt != nil {
                try? await reservation.recordDurably([Self.event(of: erasure)])
                return
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Records the end of an erasure. If there is no room for it, the log is failing, which is reported.
    func record(_ erasure: Erasure) { try? audit.record(Self.event(of: erasure)) }

    private static func event(of erasure: Erasure) -> AuditEvent {
        AuditEvent(
            .erase, erasure.damaged > 0 ? .damaged : .done, requestID: erasure.requestID,
            credential: erasure.credential, count: erasure.aliases)
    }
}
