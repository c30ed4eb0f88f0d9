import AuditLog
import Configuration
import Logging
import Synchronization
import Vault

/// Removes files of the audit log that need not be kept any more by `audit.keep`.
final class AuditRetentionRunner: Sendable {
    /// Microseconds between two passes: the files may grow fast.
    private static let interval: Int64 = 30_000_000
    /// Until the next pass after one that has failed.
    private static let pauseAfterFailure: Int64 = 1_800_000_000

    private let audit: AuditLog
    private let telemetry: Telemetry
    private let keep: AuditKeep?
    private let path: String
    private let passes = PassRunner()
    /// Monotonic microseconds: setting the time of day back does not delay a pass.
    private let nextPass = Atomic(Int64.min)

    init(_ configuration: Configuration, audit: AuditLog, telemetry: Telemetry) {
        self.audit = audit
        self.telemetry = telemetry
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
        guard let keep else { return }
        let now = SystemClock.monotonicMicroseconds
        guard now >= nextPass.load(ordering: .relaxed) else { return }
        nextPass.store(now + Self.interval, ordering: .relaxed)
        passes.wake { [self] in await drop(keep, now: Int(VaultClock.system.patientSeconds())) }
    }

    /// Returns once no pass is under way; none begins any more.
    func stop() async { await passes.stop() }

    private func drop(_ keep: AuditKeep, now: Int) async {
        do throws(AuditFailure) {
            guard let last = try await audit.drop(at: path, keeping: keep, now: now) else { return }
            telemetry.logger.info("lines of the audit log up to number \(last) were removed, as audit.keep says")
        } catch {
            telemetry.logger.error("old files of the audit log cannot be removed: \(error)")
            // Changed files fail each time: tried again, and logged, every half hour.
            nextPass.store(SystemClock.monotonicMicroseconds + Self.pauseAfterFailure, ordering: .relaxed)
        }
    }
}
