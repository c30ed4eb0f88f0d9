import Access
import Configuration
import EventHTTP
import FormSchema
import HTTPWire
import JSON

extension FormCalls {
    /// `POST /v1/forms/{form}/aliases` and `…/tokens`: validates the submission, then creates aliases for it
    /// (`docs/reference/vault-api.md` section 7).
    ///
    /// - Parameter operation: `aliases` or `tokens`.
    func aliases(
        _ call: Call, _ form: HostedForm, _ operation: FormOperation
    ) async throws(CallError) -> CallResponse {
        let caller = try await authorize(call, form, operation)
        let body = try await call.json()
        return try await idempotency.once(
            call, body, of: form.schema, by: caller,
            forwarding: RequestIdentity.Forwarded(
                path: "/v1/forms/\(form.schema.form)/\(operation.rawValue)",
                headers: creation.forwardedHeaders(operation)),
            orRefusing: try requireCurrent(call, form)
        ) { () async throws(CallError) in
            try await takeUse(call, of: caller, form, operation)
            let evaluation = try await judge.requireValid(body, by: form, call)
            try await requireNoCardNumber(inResultOf: evaluation, form, call)
            let items = evaluation.aliasItems
            var created = AliasCreation.Created()
            var response: CallResponse
            do throws(CallError) {
                created = try await creation.aliases(for: items, operation, by: caller, call)
                response = try self.response(evaluation, items, created.aliases)
                try await guardResult(&response, aliases: created.aliases, form, call)
            } catch .remoteVault(.vaultResponse(let refusal), let mayHaveStored) {
                response = try await passing(refusal, mayHaveStored: mayHaveStored, form, call)
            }
            return await storable(response, body, form, items, fleeting: created.fleeting, call)
        }
    }

    /// The response, which may be stored under an idempotency key unless it has a text that must reach no disk.
    func storable(
        _ response: CallResponse, _ body: JSONText, _ form: HostedForm, _ items: [AliasItem], fleeting: [String],
        _ call: Call
    ) async -> CallResponse {
        guard call.head.contains(IdempotencyKey.header) else { return response }
        return await response.storable(
            unlessItHas: FleetingTexts(of: body, form.schema, items, fleeting), of: call.bodyCount)
    }

    /// A remote vault's own error response, which may hold what the vault was sent: the form's guard looks through it.
    private func passing(
        _ refusal: ClientResponse, mayHaveStored: Bool, _ form: HostedForm, _ call: Call
    ) async throws(CallError) -> CallResponse {
        let error = CallError.remoteVault(.vaultResponse(refusal), mayHaveStored: mayHaveStored)
        var response = await CallResponse.error(error, to: call)
        do throws(CallError) {
            try await guardResponse(&response, of: refusal.headers, form.schema.guard.pan, exempt: [], form, call)
        } catch { throw .remoteVault(error, mayHaveStored: mayHaveStored) }
        return response
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
