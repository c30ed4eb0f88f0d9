import AuditLog
import Configuration
import Logging
import Synchronization
import Vault

/// Removes what need not be kept any more: values by `retention`, and files of the audit log by `audit.keep`.
final class RetentionRunner: Sendable {
    /// Microseconds between two passes over the values: what has reached its end is erased within the hour.
    private static let interval: Int64 = 1_800_000_000
    /// And over the files of the audit log, which may grow fast.
    private static let auditInterval: Int64 = 30_000_000
    /// Between two steps, so that other requests come first.
    private static let pause = Duration.milliseconds(1)

    private let vault: Vault
    private let audit: AuditLog
    private let telemetry: Telemetry
    private let retentions: [Retention]
    private let keep: AuditKeep?
    private let path: String
    private let passes = PassRunner()
    private let auditPasses = PassRunner()
    /// On the clock that is never set: a pass is not put off because the time of day was ahead once.
    private let nextPass = Atomic(Int64.min)
    private let nextAuditPass = Atomic(Int64.min)

    init(_ configuration: Configuration, vault: Vault, audit: AuditLog, telemetry: Telemetry) {
        self.vault = vault
        self.audit = audit
        self.telemetry = telemetry
        retentions = configuration.retention.map {
            Retention(classifier: $0.classifier, keep: $0.keep.components.seconds)
        }
        keep = configuration.audit.keep.map { keep in
            switch keep {
            case .age(let age): .age(Int(age.components.seconds))
            case .size(let bytes): .size(bytes)
            }
        }
        path = configuration.audit.path(beside: configuration.vault)
    }

    /// Begins a pass if one is due; returns at once.
    func wake() {
        let now = SystemClock.monotonicMicroseconds
        let erases = !retentions.isEmpty && now >= nextPass.load(ordering: .relaxed)
        let drops = keep != nil && now >= nextAuditPass.load(ordering: .relaxed)
        if erases {
            nextPass.store(now + Self.interval, ordering: .relaxed)
            passes.wake { [self] in await eraseOverdue() }
        }
        if drops {
            nextAuditPass.store(now + Self.auditInterval, ordering: .relaxed)
            auditPasses.wake { [self] in await dropAudit(now: Int(VaultClock.system.patientSeconds())) }
        }
    }

    /// Returns once no step is under way; none begins any more.
    func stop() async {
        async let values: Void = passes.stop()
        async let files: Void = auditPasses.stop()
        _ = await (values, files)
    }

    private func eraseOverdue() async {
        var cursor: Int64? = 0
        do throws(VaultError) {
            while let position = cursor, !passes.isStopping {
                // While the log cannot be written, which is reported, nothing is erased: the next pass goes on.
                guard audit.failure == nil, let reservation = try? audit.reserve() else { return }
                let (erased, next) = try await vault.eraseOverdue(retentions, after: position)
                if erased.values > 0 {
                    try? await reservation.recordDurably([AuditEvent(.expire, count: erased.aliases)])
                }
                cursor = next
                try? await Task.sleep(for: Self.pause)
            }
        } catch { telemetry.recordVaultFailure(error) }
    }

    private func dropAudit(now: Int) async {
        guard let keep else { return }
        do throws(AuditFailure) {
            guard let last = try await audit.drop(at: path, keeping: keep, now: now) else { return }
            telemetry.logger.info("lines of the audit log up to number \(last) were removed, as audit.keep says")
        } catch {
            telemetry.logger.error("old files of the audit log cannot be removed: \(error)")
            // Files that were changed stay so: said twice an hour.
            nextAuditPass.store(SystemClock.monotonicMicroseconds + Self.interval, ordering: .relaxed)
        }
    }
}
