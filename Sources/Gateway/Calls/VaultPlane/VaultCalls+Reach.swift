import Access
import AuditLog
import Vault

/// Credentials that are limited to values with certain classifiers (`docs/reference/access.md` section 1).
extension VaultCalls {
    /// Refuses all if the caller may not reach one of the values.
    ///
    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    @inline(never)
    func requireReach(
        _ values: [StoredValue], _ action: AuditEvent.Action, of caller: Caller, _ call: Call
    ) throws(CallError) {
        try caller.requireReach(of: values.map(\.classifiers)) { () throws(CallError) in
            try audit.requireRecord(of: AuditEvent(action, .forbidden, of: call, by: caller, count: values.count))
        }
    }

    /// The same for what is about to be returned.
    @inline(never)
    func requireReach(
        _ revealed: [RevealedAlias], _ action: AuditEvent.Action, of caller: Caller, _ call: Call
    ) throws(CallError) {
        try requireReach(revealed.map(\.stored), action, of: caller, call)
    }

    /// The same for aliases whose values are about to be changed. What is unknown is left to the change itself to refuse.
    func requireReach(
        of aliases: [String], storage: Storage?, _ action: AuditEvent.Action, _ caller: Caller, _ call: Call
    ) async throws(CallError) {
        guard caller.permissions.classifiers != nil else { return }
        let found: [RevealedAlias]
        do { found = try await vault.reveal(aliases, storage: storage) } catch {
            switch error {
            case .unknownAliases: return
            case .revealTooLarge where aliases.count > 1:
                // Nothing of them is returned: one by one each has room.
                for alias in aliases { try await requireReach(of: [alias], storage: storage, action, caller, call) }
                return
            default: throw callError(error)
            }
        }
        try requireReach(found, action, of: caller, call)
    }
}

extension Caller {
    /// Throws if the caller may not reach one of several values, after `record` has been called.
    ///
    /// - Parameter classifiers: those of each value.
    func requireReach(of classifiers: [[String]], _ record: () throws(CallError) -> Void) throws(CallError) {
        if classifiers.allSatisfy({ permissions.reaches(classifiers: $0) }) { return }
        try record()
        throw .forbidden("the credential may only use values with certain classifiers")
    }
}
