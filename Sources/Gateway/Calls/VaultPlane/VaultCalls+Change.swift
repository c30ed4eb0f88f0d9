import Access
import AuditLog
import Configuration
import JSON
import Vault

extension VaultCalls {
    /// `PUT /aliases/{alias}`: other classifiers for the alias's value.
    func update(_ call: Call, _ alias: String) async throws(CallError) -> CallResponse {
        let caller = try await authenticator.authorize(call, .scope(.updateAliases))
        let body = try await object(call, members: ["data"])
        guard let data = body["data"]?.object, data.members.count == 1,
            let classifiers = data["classifiers"].flatMap(VaultItemReader.texts)
        else { throw .malformed("data must be an object with classifiers, an array of strings") }
        let storage = try storage(call)
        try await requireReach(of: [alias], storage: storage, .update, caller, call)
        let places = try await places(of: alias, with: classifiers, storage: storage, for: caller, call)
        let reservation = try audit.requireReservationForChange()
        let done = AuditEvent(.update, of: call, by: caller, aliases: try await recordable([alias]), count: 1)
        do {
            try await vault.replaceClassifiers(
                of: alias, with: classifiers, storage: storage, holding: places, within: call.takeWaitLimit())
        } catch {
            reservation.record(event(.update, error, of: 1, by: caller, call))
            throw callError(error)
        }
        reservation.record(done)
        return .empty(204)
    }

    /// The places that a VOLATILE value takes beside those that it has, once it has these classifiers.
    private func places(
        of alias: String, with classifiers: [String], storage: Storage?, for caller: Caller, _ call: Call
    ) async throws(CallError) -> FurtherPlaces? {
        let count: Int
        do { count = try await vault.furtherPlaces(of: alias, with: classifiers, storage: storage) } catch {
            try audit.requireRecord(of: event(.update, error, of: 1, by: caller, call))
            throw callError(error)
        }
        return try limits.volatile.furtherPlaces(count, by: caller)
    }

    /// `DELETE /aliases/{alias}`.
    func delete(_ call: Call, _ alias: String) async throws(CallError) -> CallResponse {
        let caller = try await authenticator.authorize(call, .scope(.deleteAliases))
        let storage = try storage(call)
        try await delete([alias], storage: storage, for: caller, call)
        return .empty(204)
    }

    /// The storage that the body names, and that of the query.
    private func storages(_ call: Call, _ body: JSONObject) throws(CallError) -> (Storage?, Storage?) {
        (try body["storage"].map(storage), try storage(call))
    }

    /// `POST /aliases/delete`: all of them or none; or all values with a classifier.
    func deleteSeveral(_ call: Call) async throws(CallError) -> CallResponse {
        let caller = try await authenticator.authorize(call, .scope(.deleteAliases))
        let body = try await object(call, members: ["data", "classifier", "storage"])
        if let classifier = body["classifier"] {
            guard body["data"] == nil else { throw .malformed("must have exactly one of data and classifier") }
            let (named, other) = try storages(call, body)
            if let named, let other, named != other {
                throw .malformed("storage is given twice, and differs")
            }
            return try await erase(classifier, storage: named ?? other, for: caller, call)
        }
        guard let aliases = body["data"].flatMap(VaultItemReader.texts), !aliases.contains(where: \.isEmpty) else {
            throw .malformed("data must be an array of aliases")
        }
        guard !aliases.isEmpty else { throw .malformed("data must be an array with at least one alias") }
        try requireCount(aliases.count)
        let (named, other) = try storages(call, body)
        // An alias can't have both storages, so none is found.
        if let named, let other, named != other {
            let error = VaultError.unknownAliases(aliases)
            try audit.requireRecord(of: event(.delete, error, of: aliases.count, by: caller, call))
            throw callError(error)
        }
        try await delete(aliases, storage: named ?? other, for: caller, call)
        return .empty(204)
    }

    private func delete(
        _ aliases: [String], storage: Storage?, for caller: Caller, _ call: Call
    ) async throws(CallError) {
        try await requireReach(of: aliases, storage: storage, .delete, caller, call)
        let reservation = try audit.requireReservationForChange()
        // Collected now: deleted aliases can't be looked up any more.
        let done = AuditEvent(
            .delete, of: call, by: caller, aliases: try await recordable(aliases), count: aliases.count)
        let damaged: [String]
        do { damaged = try await vault.delete(aliases, storage: storage, within: call.takeWaitLimit()) } catch {
            reservation.record(event(.delete, error, of: aliases.count, by: caller, call))
            throw callError(error)
        }
        let found = AuditEvent(
            .delete, .damaged, of: call, by: caller, aliases: done.aliases, count: aliases.count)
        reservation.record(damaged.isEmpty ? done : found)
    }

    /// The member `storage`.
    private func storage(_ value: JSONValue) throws(CallError) -> Storage { try Storage(named: value.string) }
}
