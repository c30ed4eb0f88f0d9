import Access
import AuditLog
import HTTPWire
import JSON
import Vault

/// The vault plane: the calls of servers with a secret credential (`docs/reference/vault-api.md` section 2).
struct VaultCalls: Sendable {
    let vault: Vault
    /// Whether aliases are created in a remote vault; this plane is then not served.
    let isRemote: Bool
    let authenticator: Authenticator
    /// Limit on the items of one request.
    let maxItems: Int
    let limits: AliasLimits
    let telemetry: Telemetry
    let erasures: ErasureRunner
    let audit: AuditLog

    /// Calls the function of the endpoint and method.
    func respond(to call: Call) async throws(CallError) -> CallResponse {
        guard !isRemote else {
            throw .http(status: 501, reason: "this gateway keeps no aliases: call the remote vault itself")
        }
        if let options = try call.optionsResponse() { return options }
        switch (call.endpoint, call.head.method) {
        case (.vaultAliases, .post), (.vaultTokens, .post): return try await create(call)
        case (.vaultAliases, .get), (.vaultAliases, .head): return try await revealSeveral(call)
        case (.vaultAlias(let alias), .get), (.vaultAlias(let alias), .head): return try await reveal(call, alias)
        case (.vaultAlias(let alias), .put): return try await update(call, alias)
        case (.vaultAlias(let alias), .delete): return try await delete(call, alias)
        case (.vaultDeletion, .post): return try await deleteSeveral(call)
        case (.erasure(let id), .get), (.erasure(let id), .head): return try await erasure(call, id)
        // The endpoint's methods are those above.
        default: throw .internalError
        }
    }

    /// A vault's error with this plane's own errors; logs it if it is the vault's fault.
    func callError(_ error: VaultError) -> CallError {
        telemetry.recordVaultFailure(error)
        switch error {
        case .unknownAliases(let aliases): return .aliasesNotFound(aliases)
        case .repeatedReference(let alias): return .malformed("alias referenced twice: \(alias)")
        case .valueDoesNotFit(let format, let item):
            return .malformed("data[\(item)]: value does not fit format \(format.rawValue)")
        case .unsuitableClassifiers(let item):
            return .malformed((item.map { "data[\($0)]: " } ?? "") + Vault.classifierRule)
        case .tooManyAliases(let item):
            return .malformed(
                "data[\(item)]: the value has \(Vault.aliasesPerValue) aliases, the most that one may have")
        default: return CallError(error)
        }
    }

    /// The body as a JSON object with these members at most.
    func object(_ call: Call, members: [String]) async throws(CallError) -> JSONObject {
        let json = try await call.json()
        let value = await LargeBodies.work(on: call.bodyCount) { json.value(at: json.root) }
        guard let object = value.object else {
            throw .malformed(
                "the body must be a JSON object with \(members.joined(separator: ", ")), not \(json.kind(at: json.root))"
            )
        }
        for member in object.members where !members.contains(member.key) {
            throw .malformed(
                "unknown member\(VaultItemReader.shown(member.key)); allowed: \(members.joined(separator: ", "))")
        }
        return object
    }

    /// Refuses more items than one request may have.
    func requireCount(_ count: Int) throws(CallError) {
        guard count <= maxItems else { throw .malformed("Too many values (limit: \(maxItems))") }
    }

    /// `?storage=` of a call that names aliases in its path or body.
    func storage(_ call: Call) throws(CallError) -> Storage? {
        try RevealQuery.storage(call.head.target.query)
    }

    /// Those of these aliases that may be written to the audit log.
    func recordable(_ aliases: [String]) async throws(CallError) -> [String] {
        do { return try await vault.recordable(aliases) } catch { throw callError(error) }
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
}
