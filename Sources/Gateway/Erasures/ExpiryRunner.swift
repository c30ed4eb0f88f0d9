import AuditLog
import Vault

/// Erases values that have expired, beside other requests: aliases are unknown from the moment they expire.
final class ExpiryRunner: Sendable {
    private let vault: Vault
    private let audit: AuditLog
    private let telemetry: Telemetry
    private let passes = PassRunner()

    init(vault: Vault, audit: AuditLog, telemetry: Telemetry) {
        self.vault = vault
        self.audit = audit
        self.telemetry = telemetry
    }

    /// Erases what has expired; returns at once.
    func wake() {
        passes.wake { [self] in
            do throws(VaultError) { try await erase() } catch { telemetry.recordVaultFailure(error) }
        }
    }

    /// Returns once no step is under way; none begins any more.
    func stop() async { await passes.stop() }

    /// One audit event a batch, synced before the next one.
    private func erase() async throws(VaultError) {
        var cursor: ExpiryCursor?
        repeat {
            // While the log cannot be written, which is reported, nothing is erased: a later pass goes on.
            guard audit.failure == nil, let reservation = try? audit.reserve() else { return }
            let position = cursor
            cursor = try await reservation.recordExpiry { () async throws(VaultError) in
                try await vault.eraseExpired(after: position)
            }.next
        } while cursor != nil && !passes.isStopping
    }
}
