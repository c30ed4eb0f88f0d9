import AuditLog
import Configuration
import Crypto
import Glibc
import Synchronization
import Vault

/// Stores in the vault where the audit log stands, so that a log that was removed or set back together with its head is found.
///
/// The vault is behind the log by what was recorded within ``interval``, and by one commit: storing it with every request would cost
/// a commit each.
final class AuditAnchoring: Sendable {
    /// How often the vault is told.
    static let interval = Duration.seconds(1)

    private struct State {
        /// Number of the last line that the vault knows.
        var stored: Int
        var isStoring = false
    }

    private let vault: Vault
    private let audit: AuditLog
    /// Number of the log.
    private let log: Int64
    private let state: Mutex<State>

    init(_ vault: Vault, _ audit: AuditLog, log: Int64, stored: Int) {
        self.vault = vault
        self.audit = audit
        self.log = log
        state = Mutex(State(stored: stored))
    }

    /// Stores where the log stands if that has changed. What cannot be stored is tried again at the next call.
    func update() async {
        guard let position = audit.position else { return }
        let isDue = state.withLock { state in
            guard !state.isStoring, state.stored != position.sequence else { return false }
            state.isStoring = true
            return true
        }
        guard isDue else { return }
        let isStored: Bool
        do throws(VaultError) {
            try await vault.anchorAudit(log, sequence: Int64(position.sequence), code: position.code)
            isStored = true
        } catch { isStored = false }
        state.withLock { state in
            state.isStoring = false
            if isStored { state.stored = position.sequence }
        }
    }

    /// Stores where the log stands at last, behind an update that is under way.
    func finish() async {
        while state.withLock({ $0.isStoring }) { try? await Task.sleep(for: .milliseconds(2)) }
        await update()
    }
}

extension VaultSettings {
    /// The number of the audit log at `path` among those of the processes that share the vault: from the name of the host and the path.
    func logNumber(_ path: String) -> Int64 {
        guard postgres != nil else { return Vault.onlyLog }
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        let digest = (try? SHA256.digest(host + [0] + Array(FilePath.absolute(path).utf8))) ?? []
        // Positive, and apart from the only log's number.
        return digest.prefix(8).reduce(Int64(0)) { ($0 << 8 | Int64($1)) & (.max >> 1) } | (1 << 61)
    }
}
