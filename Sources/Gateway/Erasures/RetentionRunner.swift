import AuditLog
import Configuration
import Synchronization
import Vault

/// Erases values that need not be kept any more by `retention`.
final class RetentionRunner: Sendable {
    /// Microseconds between two passes: what has reached its end is erased within the hour.
    private static let interval: Int64 = 1_800_000_000
    /// Between two steps, so that other requests come first.
    private static let pause = Duration.milliseconds(1)

    private let vault: Vault
    private let audit: AuditLog
    private let telemetry: Telemetry
    private let retentions: [Retention]
    private let passes = PassRunner()
    /// Monotonic microseconds: setting the time of day back does not delay a pass.
    private let nextPass = Atomic(Int64.min)

    init(_ settings: [RetentionSettings], vault: Vault, audit: AuditLog, telemetry: Telemetry) {
        self.vault = vault
        self.audit = audit
        self.telemetry = telemetry
        retentions = settings.map { Retention(classifier: $0.classifier, keep: $0.keep.components.seconds) }
    }

    /// Begins a pass if one is due; returns at once.
    func wake() {
        let now = SystemClock.monotonicMicroseconds
        guard !retentions.isEmpty, now >= nextPass.load(ordering: .relaxed) else { return }
        nextPass.store(now + Self.interval, ordering: .relaxed)
        passes.wake { [self] in await eraseOverdue() }
    }

    /// Returns once no step is under way; none begins any more.
    func stop() async { await passes.stop() }

    private func eraseOverdue() async {
        var cursor: Int64? = 0
        do throws(VaultError) {
            while let position = cursor, !passes.isStopping {
                // While the log cannot be written, which is reported, nothing is erased: the next pass goes on.
                guard audit.failure == nil, let reservation = try? audit.reserve() else { return }
                _ = try await reservation.recordExpiry { () async throws(VaultError) in
                    let erased: Vault.Erased
                    (erased, cursor) = try await vault.eraseOverdue(retentions, after: position)
                    return erased
                }
                try? await Task.sleep(for: Self.pause)
            }
        } catch { telemetry.recordVaultFailure(error) }
    }
}
