import AuditLog
import Configuration
import Vault

/// Key maintenance, recorded in the audit log.
extension OpenVault {
    /// One line a key: `key <number> <active|retired> created <time> uses <seals allotted> check <check value> master <check
    /// value of the key that wraps it>`.
    func keyLines() async throws(VaultError) -> [String] {
        let master = try await vault.masterKeyStatus()
        var wrapping = " master \(master.checkValue)"
        if master.isBeingChanged {
            wrapping += " changing to \(master.nextCheckValue ?? "one that this process was not given")"
        }
        return try await vault.keyStatus().map { key in
            let state = key.isActive ? "active" : "retired"
            let created = Instant.text(seconds: key.createdAt)
            return "key \(key.id) \(state) created \(created) uses \(key.allottedUses) check \(key.checkValue)"
                + wrapping
        }
    }

    /// Creates a new data key for new values.
    func rotateKey() async throws(VaultError) {
        try await recorded(.rotateKey) { () throws(VaultError) in try await vault.rotateKey() }
    }

    /// Seals some values of older keys under the active one, beginning after the value with id `cursor`. Returns the next cursor, or
    /// nil at the end. Each call is short, so that other writes are not delayed.
    func rewrap(after cursor: Int64) async throws(VaultError) -> Int64? {
        var next: Int64? = cursor
        var batches = 16
        if cursor == 0 { try await recorded(.rewrap) {} }
        while let position = next, batches > 0 {
            next = try await vault.rewrap(after: position)
            batches -= 1
        }
        return next
    }

    /// Wraps the keys under the master key in another file too; no value is touched. That file and its directory are synced first:
    /// it may soon be the only key.
    func changeMasterKey(file: String) async throws(VaultError) {
        try PrivateFile.sync(file)
        let master = try MasterKey(file: file, generate: false)
        try await recorded(.changeMasterKey) { () throws(VaultError) in try await vault.changeMasterKey(to: master) }
    }

    /// Runs `work` if it can be recorded, and records it.
    private func recorded(
        _ action: AuditEvent.Action, _ work: () async throws(VaultError) -> Void
    ) async throws(VaultError) {
        if let failure = audit.failure { throw .unavailable("the audit log: \(failure)") }
        let place: AuditPlace
        do throws(AuditFailure) { place = try audit.place() } catch { throw .unavailable("the audit log: \(error)") }
        do { try await work() } catch {
            place.record(AuditEvent(action, .failed))
            throw error
        }
        do throws(AuditFailure) { try await place.recordDurably([AuditEvent(action)]) } catch {
            throw .unavailable("done, but not yet recorded in the audit log: \(error)")
        }
    }
}
