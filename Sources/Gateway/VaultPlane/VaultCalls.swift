import AuditLog
import HTTPWire
import JSON
import Vault

/// The vault plane: what servers with a secret credential call (docs/reference/vault-api.md section 2).
struct VaultCalls: Sendable {
    let vault: Vault
    /// Whether aliases are made in a remote vault, whose own API is at its own address.
    let isRemote: Bool
    let authenticator: Authenticator
    /// Items of one request.
    let maxItems: Int
    let telemetry: Telemetry
    let audit: AuditLog

    /// Answers the call, or says why not.
    func answer(_ call: Call, at endpoint: Endpoint) async throws(Failure) -> Answer {
        guard !isRemote else {
            throw .fault(.wire(status: 501, reason: "this gateway keeps no aliases: ask the remote vault itself"))
        }
        let method = call.head.method
        switch (endpoint, method) {
        case (_, .options): return Answer(status: 204, headers: [("Allow", try methods(of: endpoint))])
        case (.vaultAliases, .post), (.vaultTokens, .post): return try await create(call)
        case (.vaultAliases, .get), (.vaultAliases, .head): return try await revealSeveral(call)
        case (.vaultAlias(let alias), .get), (.vaultAlias(let alias), .head): return try await reveal(call, alias)
        case (.vaultAlias(let alias), .put): return try await update(call, alias)
        case (.vaultAlias(let alias), .delete): return try await delete(call, alias)
        case (.vaultDeletion, .post): return try await deleteSeveral(call)
        default: throw .fault(.methodNotAllowed(allowed: try methods(of: endpoint)))
        }
    }

    private func methods(of endpoint: Endpoint) throws(Failure) -> String {
        switch endpoint {
        case .vaultAliases: "GET, HEAD, POST, OPTIONS"
        case .vaultAlias: "GET, HEAD, PUT, DELETE, OPTIONS"
        case .vaultDeletion, .vaultTokens: "POST, OPTIONS"
        default: throw .fault(.notFound("there is nothing at this path"))
        }
    }

    /// The vault's refusal in the words of this plane.
    func failure(_ error: VaultError) -> Failure {
        telemetry.recordVaultFailure(error)
        switch error {
        case .unknownAliases(let aliases): return .vault(.unknownAliases(aliases))
        case .repeatedReference(let alias): return .vault(.badRequest("alias referenced twice: \(alias)"))
        case .valueDoesNotFit(let format, let item):
            return .vault(.badRequest("data[\(item)]: value does not fit format \(format.rawValue)"))
        default: return Failure(error)
        }
    }

    /// The body as a JSON object with these members at most.
    func object(_ call: Call, members: [String]) throws(Failure) -> JSONObject {
        let json: JSONText
        do { json = try call.json() } catch { throw .fault(error) }
        guard let object = json.value(at: json.root).object else {
            throw .vault(.badRequest("the body must be a JSON object"))
        }
        for member in object.members where !members.contains(member.key) {
            throw .vault(.badRequest("unknown member \(VaultItemReader.shown(member.key))"))
        }
        return object
    }

    /// Refuses more items than one request may have.
    func demandCount(_ count: Int) throws(Failure) {
        guard count <= maxItems else { throw .vault(.badRequest("Too many values (limit: \(maxItems))")) }
    }
}
