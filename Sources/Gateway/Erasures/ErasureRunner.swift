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
                for erasure in try await vault.unrecordedErasures() { await record(erasure) }
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
            guard let reservation = reserve() else { return }
            guard let erasure = try await vault.advance(erasure: id) else { return }
            if erasure.finishedAt != nil { return await record(erasure, reservation) }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Room in the log for the next step. While it cannot be written, which is reported, nothing is erased: the next pass goes on.
    private func reserve() -> AuditReservation? {
        guard audit.failure == nil else { return nil }
        return try? audit.reserve()
    }

    /// Records the end of an erasure; a later pass does if there is no room for it now.
    func record(_ erasure: Erasure) async {
        guard let reservation = reserve() else { return }
        await record(erasure, reservation)
    }

    /// Recorded first and noted afterwards: a log that fails, or a process that ends in between, leaves two lines of the end and never none.
    private func record(_ erasure: Erasure, _ reservation: consuming AuditReservation) async {
        do throws(AuditFailure) { try await reservation.recordDurably([Self.event(of: erasure)]) } catch { return }
        do throws(VaultError) { try await vault.noteRecord(of: erasure) } catch { telemetry.recordVaultFailure(error) }
    }

    /// Counts values, as the event of its beginning does: how many aliases went, `GET /erasures/{id}` says.
    private static func event(of erasure: Erasure) -> AuditEvent {
        AuditEvent(
            .erase, erasure.damaged > 0 ? .damaged : .done, requestID: erasure.requestID,
            credential: erasure.credential, count: erasure.values, erasure: erasure.id)
    }
}
