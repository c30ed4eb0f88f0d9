import Access
import AuditLog
import Configuration
import HTTPWire
import JSON
import Vault

extension VaultCalls {
    /// `GET /aliases?q=…`: all of them or none.
    func revealSeveral(_ call: Call) async throws(CallError) -> CallResponse {
        let caller = try await authenticator.authorize(call, .scope(.revealAliases))
        let query = try RevealQuery(call.head.target.query)
        try requireCount(query.aliases.count)
        let revealed = try await reveal(query.aliases, storage: query.storage, for: caller, call)
        return .json(200, StoredValueText.object(revealed))
    }

    /// `GET /aliases/{alias}`.
    func reveal(_ call: Call, _ alias: String) async throws(CallError) -> CallResponse {
        let caller = try await authenticator.authorize(call, .scope(.revealAliases))
        let storage = try storage(call)
        let revealed = try await reveal([alias], storage: storage, for: caller, call)
        return .json(200, StoredValueText.array(revealed))
    }

    private func reveal(
        _ aliases: [String], storage: Storage?, for caller: Caller, _ call: Call
    ) async throws(CallError) -> [RevealedAlias] {
        let revealed: [RevealedAlias]
        do { revealed = try await vault.reveal(aliases, storage: storage) } catch {
            try audit.requireRecord(of: event(.reveal, error, of: aliases.count, by: caller, call))
            throw callError(error)
        }
        try requireReach(revealed, .reveal, of: caller, call)
        // Synced before the values are returned.
        try await audit.requireDurableRecord(
            of: event(
                .reveal, revealed.recordableAliases(), of: revealed.count, by: caller, call))
        telemetry.recordReveal(count: revealed.count, credential: caller.name ?? "-", requestID: call.id)
        return revealed
    }

    /// The event of an action that was carried out, or is about to be.
    ///
    /// - Parameters:
    ///   - aliases: those that may be logged.
    ///   - count: number of all.
    func event(
        _ action: AuditEvent.Action, _ aliases: [String], of count: Int, by caller: Caller, _ call: Call
    ) -> AuditEvent {
        AuditEvent(action, of: call, by: caller, aliases: aliases, count: count)
    }

    /// The event of an action that failed.
    func event(
        _ action: AuditEvent.Action, _ error: VaultError, of count: Int, by caller: Caller, _ call: Call
    ) -> AuditEvent {
        var aliases: [String] = []
        // It exists: the store has a row of it.
        if case .damaged(let alias?) = error { aliases = [alias] }
        return AuditEvent(
            action, AuditEvent.Outcome(error), of: call, by: caller, aliases: aliases, count: count)
    }

    /// `?storage=` of a call that names one alias.
    func storage(_ call: Call) throws(CallError) -> Storage? {
        try RevealQuery.storage(call.head.target.query)
    }
}
