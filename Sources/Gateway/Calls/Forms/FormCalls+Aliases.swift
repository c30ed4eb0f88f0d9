import Access
import Configuration
import FormSchema
import HTTPWire
import JSON

extension FormCalls {
    /// `POST /v1/forms/{form}/aliases` and `…/tokens`: validates the submission, then creates aliases for it
    /// (`docs/reference/vault-api.md` section 7).
    func aliases(
        _ call: Call, _ form: HostedForm, _ operation: AliasCreation.Operation
    ) async throws(CallError) -> CallResponse {
        let caller = try await authorize(call, form, operation == .tokens ? .tokens : .aliases)
        let body = try await call.json()
        return try await idempotency.once(
            call, body, .creation, of: form.schema, by: caller,
            passing: RequestIdentity.Passage(
                path: "/v1/forms/\(form.schema.form)/\(operation == .tokens ? "tokens" : "aliases")",
                headers: creation.forwardedHeaders(operation))
        ) { () async throws(CallError) in
            let evaluation = try await judge.requireValid(body, by: form, call)
            try await requireNoCardNumber(evaluation, form, to: .client, call)
            let items = evaluation.aliasItems
            let created = try await creation.aliases(for: items, operation, by: caller, call)
            var response = try response(evaluation, items, created.aliases)
            try await guardResult(&response, aliases: created.aliases, form, call)
            guard call.head.contains(IdempotencyKey.header) else { return response }
            return await response.storable(
                unlessItHas: FleetingTexts(of: body, form.schema, items, created.fleeting), of: call.bodyCount)
        }
    }

    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    @inline(never)
    private func response(
        _ evaluation: Evaluation, _ items: [AliasItem], _ aliases: [String]
    ) throws(CallError) -> CallResponse {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.key("data")
        guard evaluation.writeResult(aliases: aliases, into: &json) else { throw .internalError }
        json.key("aliases")
        json.beginArray()
        for (item, alias) in zip(items, aliases) { write(item, alias, into: &json) }
        json.endArray()
        json.endObject()
        return .json(items.isEmpty ? 200 : 201, json.bytes)
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
