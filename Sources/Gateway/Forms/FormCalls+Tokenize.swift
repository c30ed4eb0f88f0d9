import AuditLog
import Configuration
import FormSchema
import JSON
import Vault

extension FormCalls {
    /// Validates, then creates aliases (docs/reference/vault-api.md section 7).
    ///
    /// - Parameter caller: who may.
    func tokenize(
        _ call: Call, _ form: HostedForm, _ operation: TokenizeOperation, for caller: FormSchema.Caller
    ) async throws(Failure) -> Answer {
        let credential = try await authorize(call, caller, .createAliases)
        return try await repetitions.once(
            call, of: form.schema, by: credential, isVaults: true
        ) { () async throws(Failure) in
            try await tokenize(call, form, operation, by: credential)
        }
    }

    private func tokenize(
        _ call: Call, _ form: HostedForm, _ operation: TokenizeOperation, by credential: Credential?
    ) async throws(Failure) -> Answer {
        let evaluation = try evaluate(call, form)
        try demandAcceptable(evaluation, form)
        let items = evaluation.aliasItems
        return try answer(evaluation, items, try await aliases(for: items, operation, by: credential, call))
    }

    /// The answer with an alias for each item. Not in the asynchronous function, whose variables lie where nothing wipes them
    /// when it ends; likewise ``vaultItems(_:)``.
    @inline(never)
    private func answer(
        _ evaluation: Evaluation, _ items: [AliasItem], _ aliases: [String]
    ) throws(Failure) -> Answer {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.key("data")
        guard evaluation.writeResult(aliases: aliases, into: &json) else { throw .fault(.internalError) }
        json.key("aliases")
        json.beginArray()
        for (item, alias) in zip(items, aliases) { write(item, alias, into: &json) }
        json.endArray()
        json.endObject()
        return .json(items.isEmpty ? 200 : 201, json.bytes)
    }

    /// One alias an item, in their order; all or none. Without items the vault is not called.
    func aliases(
        for items: [AliasItem], _ operation: TokenizeOperation, by credential: Credential?, _ call: Call
    ) async throws(Failure) -> [String] {
        if items.isEmpty { return [] }
        let request = try vaultItems(items)
        let place = try audit.demandPlace()
        let aliases: [String]
        do throws(Failure) { aliases = try await create(request, operation, call) } catch {
            place.record(
                AuditEvent(.create, .failed, requestID: call.id, credential: credential?.name, count: items.count))
            throw error
        }
        let recordable = request.makeRecordableAliases() ? aliases : request.recordable(aliases).compactMap(\.self)
        place.record(
            AuditEvent(
                .create, requestID: call.id, credential: credential?.name, aliases: recordable, count: aliases.count))
        return aliases
    }

    @inline(never)
    private func vaultItems(_ items: [AliasItem]) throws(Failure) -> [VaultItem] {
        var request: [VaultItem] = []
        request.reserveCapacity(items.count)
        for item in items {
            guard let format = AliasFormat(rawValue: item.format) else { throw .fault(.internalError) }
            let storage: Storage = item.storage == .volatile ? .volatile : .persistent
            request.append(.value(item.value, format: format, classifiers: item.classifiers, storage: storage))
        }
        return request
    }

    private func create(
        _ items: [VaultItem], _ operation: TokenizeOperation, _ call: Call
    ) async throws(Failure) -> [String] {
        if let remote { return try await remote.aliases(for: items, operation, call) }
        return try await vault.aliases(for: items, telemetry)
    }

    private func write(_ item: AliasItem, _ alias: String, into json: inout JSONWriter) {
        json.beginObject()
        json.key("fieldName")
        json.string(item.fieldName)
        json.key("alias")
        json.string(alias)
        json.key("format")
        json.string(item.format)
        json.key("storage")
        json.string(item.storage.rawValue)
        json.endObject()
    }
}
