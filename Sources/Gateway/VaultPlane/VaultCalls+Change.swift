import JSON
import Vault

extension VaultCalls {
    /// `PUT /aliases/{alias}`: other classifiers for the alias's value.
    func update(_ call: Call, _ alias: String) async throws(Failure) -> Answer {
        let credential = try await authenticator.authorize(call, .updateAliases)
        let body = try object(call, members: ["data"])
        guard let data = body["data"]?.object, data.members.count == 1,
            let classifiers = data["classifiers"].flatMap(VaultItemReader.texts)
        else { throw .vault(.badRequest("data must be an object with classifiers, an array of strings")) }
        let storage = try storage(call)
        let place = try audit.demandPlace()
        do { try await vault.replaceClassifiers(of: alias, with: classifiers, storage: storage) } catch {
            place.record(event(.update, error, of: 1, by: credential, call))
            throw failure(error)
        }
        place.record(event(.update, [alias], by: credential, call))
        return .empty(204)
    }

    /// `DELETE /aliases/{alias}`.
    func delete(_ call: Call, _ alias: String) async throws(Failure) -> Answer {
        let credential = try await authenticator.authorize(call, .deleteAliases)
        let storage = try storage(call)
        try await delete([alias], storage: storage, for: credential, call)
        return .empty(204)
    }

    /// `POST /aliases/delete`: all of them or none.
    func deleteSeveral(_ call: Call) async throws(Failure) -> Answer {
        let credential = try await authenticator.authorize(call, .deleteAliases)
        let body = try object(call, members: ["data", "storage"])
        guard let aliases = body["data"].flatMap(VaultItemReader.texts), !aliases.contains(where: \.isEmpty) else {
            throw .vault(.badRequest("data must be an array of aliases"))
        }
        guard !aliases.isEmpty else { throw .vault(.badRequest("data must be an array with at least one alias")) }
        try demandCount(aliases.count)
        let storage = try storage(of: body, call)
        try await delete(aliases, storage: storage, for: credential, call)
        return .empty(204)
    }

    private func delete(
        _ aliases: [String], storage: Storage?, for credential: Credential, _ call: Call
    ) async throws(Failure) {
        let place = try audit.demandPlace()
        do { try await vault.delete(aliases, storage: storage) } catch {
            place.record(event(.delete, error, of: aliases.count, by: credential, call))
            throw failure(error)
        }
        place.record(event(.delete, aliases, by: credential, call))
    }

    /// Something that was done.
    private func event(
        _ action: AuditEvent.Action, _ aliases: [String], by credential: Credential, _ call: Call
    ) -> AuditEvent {
        AuditEvent(action, requestID: call.id, credential: credential.name, aliases: aliases)
    }

    /// The member `storage`, or the query's.
    private func storage(of body: JSONObject, _ call: Call) throws(Failure) -> Storage? {
        guard let value = body["storage"] else { return try storage(call) }
        guard let storage = value.string.flatMap(Storage.init(rawValue:)) else {
            throw .vault(.badRequest("storage must be PERSISTENT or VOLATILE"))
        }
        return storage
    }
}
