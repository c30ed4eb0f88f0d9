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
        return .json(
            200, await LargeBodies.work(on: StoredValueText.byteCount(revealed)) { StoredValueText.object(revealed) })
    }

    /// `GET /aliases/{alias}`.
    func reveal(_ call: Call, _ alias: String) async throws(CallError) -> CallResponse {
        let caller = try await authenticator.authorize(call, .scope(.revealAliases))
        let storage = try storage(call)
        let revealed = try await reveal([alias], storage: storage, for: caller, call)
        return .json(
            200, await LargeBodies.work(on: StoredValueText.byteCount(revealed)) { StoredValueText.array(revealed) })
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
            of: AuditEvent(
                .reveal, of: call, by: caller, aliases: revealed.recordableAliases(), count: revealed.count))
        telemetry.recordReveal(count: revealed.count, credential: caller.name ?? "-", requestID: call.id)
        return revealed
    }
}
