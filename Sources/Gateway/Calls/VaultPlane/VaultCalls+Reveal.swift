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
        return try await reveal(query.aliases, storage: query.storage, for: caller, call, StoredValueText.object)
    }

    /// `GET /aliases/{alias}`.
    func reveal(_ call: Call, _ alias: String) async throws(CallError) -> CallResponse {
        let caller = try await authenticator.authorize(call, .scope(.revealAliases))
        let storage = try storage(call)
        return try await reveal([alias], storage: storage, for: caller, call) { StoredValueText.array($0) }
    }

    /// - Parameter text: writes the body.
    private func reveal(
        _ aliases: [String], storage: Storage?, for caller: Caller, _ call: Call, _ text: ([RevealedAlias]) -> [UInt8]
    ) async throws(CallError) -> CallResponse {
        let share = limits.reveals.share(of: caller)
        let revealed: [RevealedAlias]
        do { revealed = try await vault.reveal(aliases, storage: storage, of: share) } catch {
            throw try recorded(error, of: aliases.count, by: caller, call)
        }
        try requireReach(revealed, .reveal, of: caller, call)
        let body = await LargeBodies.work(on: StoredValueText.byteCount(revealed)) { text(revealed) }
        share.settle(at: body.count)
        // Synced before the values are returned.
        try await audit.requireDurableRecord(
            of: AuditEvent(
                .reveal, of: call, by: caller, aliases: revealed.recordableAliases(), count: revealed.count))
        telemetry.recordReveal(count: revealed.count, credential: caller.name ?? "-", requestID: call.id)
        var response = CallResponse.json(200, body)
        response.share = share
        return response
    }

    /// The error of a reveal that has failed, which is recorded.
    private func recorded(
        _ error: VaultError, of count: Int, by caller: Caller, _ call: Call
    ) throws(CallError) -> CallError {
        try audit.requireRecord(of: event(.reveal, error, of: count, by: caller, call))
        return callError(error)
    }
}
