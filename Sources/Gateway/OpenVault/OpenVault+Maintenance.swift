import AuditLog
import Configuration
import Vault
import VaultSQLite

/// Maintenance of keys and files, recorded in the audit log when it is done or has failed, with who did it.
extension OpenVault {
    /// One line a key: `key <number> <active|waiting|retired> created <time> uses <seals allotted> check <check value> master <check
    /// value of the key that wraps it>`, and while the master key is being changed ` changing to <check value of the next, if it is known>`.
    func keyLines() async throws(VaultError) -> [String] {
        let master = try await vault.masterKeyStatus()
        let unknown = "one that this process was not given"
        var wrapping = " master \(master.isNext ? unknown : master.checkValue)"
        if master.isBeingChanged {
            wrapping += " changing to \(master.isNext ? master.checkValue : master.nextCheckValue ?? unknown)"
        }
        return try await vault.keyStatus().map { key in
            let state = key.isActive ? "active" : key.isWaiting ? "waiting" : "retired"
            let created = Instant.text(seconds: key.createdAt)
            return "key \(key.id) \(state) created \(created) uses \(key.allottedUses) check \(key.checkValue)"
                + wrapping
        }
    }

    /// Creates a new data key for new values.
    ///
    /// - Parameter fingerprints: a new fingerprint key too.
    func rotateKey(fingerprints: Bool, by person: String) async throws(VaultError) {
        try await recorded(.rotateKey, by: person) { () throws(VaultError) in
            try await vault.rotateKey(fingerprints: fingerprints)
        }
    }

    /// Seals some values of older keys under the active one, beginning after the value with id `cursor`. Returns the next cursor, or
    /// nil at the end. Each call is short, so that other writes are not delayed. The beginning and the end are recorded,
    /// and a failure.
    func rewrap(after cursor: Int64, by person: String) async throws(VaultError) -> Int64? {
        try requireLog()
        if cursor == 0 { try await record(.rewrap, .begun, by: person) }
        var next: Int64? = cursor
        var batches = 16
        do throws(VaultError) {
            while let position = next, batches > 0 {
                next = try await vault.rewrap(after: position)
                batches -= 1
            }
        } catch {
            try await record(.rewrap, AuditEvent.Outcome(error), by: person)
            throw error
        }
        guard next == nil else { return next }
        let left = try await vault.rewrapRemainder()
        try await record(
            .rewrap, left.keys.isEmpty ? .done : .incomplete, by: person, count: left.values + left.responses)
        return nil
    }

    /// Wraps the keys under the master key in another file too; no value is touched. That file and its directory are synced first:
    /// it may soon be the only key.
    ///
    /// - Returns: whether a change is under way from now on: false if they are under this key already.
    func changeMasterKey(file: String, by person: String) async throws(VaultError) -> Bool {
        try PrivateFile.sync(file)
        let master = try MasterKey(file: file, generate: false)
        let change = { () async throws(VaultError) in try await vault.changeMasterKey(to: master) }
        return try await recorded(.changeMasterKey, by: person, as: { $0 ? .begun : .done }, change)
    }

    /// Gives some free space of the vault's file back to the file system. Returns the pages of 4 KiB that were returned, and those that
    /// still can be. The beginning and the end are recorded, and a failure.
    ///
    /// - Parameter before: pages that the steps before have returned.
    func compact(after before: Int, by person: String) async throws(VaultError) -> (returned: Int, left: Int) {
        guard let store = store as? SQLiteAliasStore else {
            throw .unavailable("the vault is in a PostgreSQL database: its server gives space back (VACUUM)")
        }
        try requireLog()
        if before == 0 { try await record(.compact, .begun, by: person) }
        let step: (returned: Int, left: Int)
        do { step = try await store.compactStep() } catch {
            try await record(.compact, AuditEvent.Outcome(error), by: person)
            throw error
        }
        if step.left == 0 || step.returned == 0 {
            try await record(.compact, .done, by: person, count: before + step.returned)
        }
        return step
    }

    /// Records the keys that the vault has made by itself because the one before was due: to be called now and then. Those for which the
    /// audit log has no room are recorded by a later call.
    func recordRotations() {
        while let reservation = try? audit.reserve(), vault.takeRotation() != nil {
            reservation.record(AuditEvent(.rotateKey, credential: "automatic"))
        }
    }

    /// Records a copy of the vault, which the command has made.
    func recordBackup(isDone: Bool, by person: String) async throws(VaultError) {
        try await record(.backup, isDone ? .done : .failed, by: person)
    }

    /// Throws while the log cannot be written.
    private func requireLog() throws(VaultError) {
        if let failure = audit.failure { throw .unavailable("the audit log: \(failure)") }
    }

    /// Runs `work` if it can be recorded, and records it.
    ///
    /// - Parameter outcome: of its result.
    private func recorded<Result: Sendable>(
        _ action: AuditEvent.Action, by person: String, as outcome: (Result) -> AuditEvent.Outcome = { _ in .done },
        _ work: () async throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try requireLog()
        let reservation: AuditReservation
        do throws(AuditFailure) { reservation = try audit.reserve() } catch {
            throw .unavailable("the audit log: \(error)")
        }
        let result: Result
        do { result = try await work() } catch {
            reservation.record(AuditEvent(action, AuditEvent.Outcome(error), credential: person))
            throw error
        }
        let done = AuditEvent(action, outcome(result), credential: person)
        do throws(AuditFailure) { try await reservation.recordDurably([done]) } catch {
            throw .unavailable("done, but not yet recorded in the audit log: \(error)")
        }
        return result
    }

    /// Records what was done in several calls.
    private func record(
        _ action: AuditEvent.Action, _ outcome: AuditEvent.Outcome, by person: String, count: Int = 0
    ) async throws(VaultError) {
        do throws(AuditFailure) {
            try await audit.recordDurably(AuditEvent(action, outcome, credential: person, count: count))
        } catch { throw .unavailable("not recorded in the audit log: \(error)") }
    }
}

extension RewrapRemainder {
    /// What is left, in one line for each key and kind; none if nothing is.
    var lines: [String] {
        guard !keys.isEmpty else { return [] }
        if fingerprintWait > 0 {
            return [
                "the new fingerprint key is used in \(fingerprintWait) seconds, when all processes know it: call again "
                    + "after that"
            ]
        }
        let names = keys.map(String.init).joined(separator: ", ")
        var lines: [String] = []
        if values > 0 {
            lines.append("\(values) values are still under older keys (\(names)): damaged, or stored meanwhile")
        }
        if responses > 0 { lines.append("\(responses) stored responses are still under older keys (\(names))") }
        if wait > 0 {
            lines.append(
                "other processes may use older keys (\(names)) for \(wait) more seconds: call again after that")
        }
        return lines.isEmpty ? ["older keys (\(names)) are still there: call again"] : lines
    }
}
