import JSON
import Vault

extension VaultCalls {
    /// `POST /aliases`, and `POST /tokens` with the same bodies. All items or none.
    func create(_ call: Call) async throws(Failure) -> Answer {
        let credential = try await authenticator.authorize(call, .createAliases)
        let body = try object(call, members: ["data"])
        guard case .array(let elements)? = body["data"], !elements.isEmpty else {
            throw .vault(.badRequest("data must be an array with at least one item"))
        }
        try demandCount(elements.count)
        let storage = try storage(call)
        let items: [VaultItem]
        do { items = try VaultItemReader.read(elements, ofAliasesIn: storage) } catch { throw .vault(error) }
        // A reference is answered with the value behind it: that is a reveal.
        let reveals = items.contains(where: \.isReference)
        if reveals, !credential.scopes.contains(.revealAliases) {
            throw .fault(.forbidden("to reference an alias the credential needs \(Scope.revealAliases.rawValue)"))
        }
        let stored: [StoredValue]
        do { stored = try await vault.create(items) } catch {
            try record(.create, error, of: items.count, by: credential, call)
            throw failure(error)
        }
        let event = AuditEvent(
            .create, requestID: call.id, credential: credential.name,
            aliases: stored.flatMap { $0.aliases.map(\.alias) })
        if reveals { try await audit.demandDurableRecord(of: event) } else { try audit.demandRecord(of: event) }
        return .json(201, StoredValueText.array(stored))
    }
}

extension VaultItem {
    fileprivate var isReference: Bool {
        if case .reference = self { true } else { false }
    }
}
