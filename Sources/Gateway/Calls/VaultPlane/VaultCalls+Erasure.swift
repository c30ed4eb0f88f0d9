import Access
import AuditLog
import Configuration
import JSON
import Vault

/// Erasure by classifier (`docs/reference/vault-api.md` section 4).
extension VaultCalls {
    /// `POST /aliases/delete` with a classifier: 202, and the erasure is carried out beside other requests.
    func erase(
        _ classifier: JSONValue, storage: Storage?, for caller: Caller, _ call: Call
    ) async throws(CallError) -> CallResponse {
        // However long: values of older versions may have longer ones than are taken now.
        guard let classifier = classifier.string, !classifier.isEmpty else {
            throw .malformed("classifier must be a string, not empty")
        }
        guard caller.permissions.reaches(classifiers: [classifier]) else {
            try audit.requireRecord(of: AuditEvent(.erase, .forbidden, of: call, by: caller, count: 0))
            throw .forbidden("the credential may only use values with certain classifiers")
        }
        let reservation = try audit.requireReservationForChange()
        let erasure: Erasure
        do throws(VaultError) {
            erasure = try await vault.beginErasure(
                classifier: classifier, storage: storage, requestID: call.id, credential: caller.name ?? "")
        } catch {
            reservation.record(AuditEvent(.erase, AuditEvent.Outcome(error), of: call, by: caller, count: 0))
            throw callError(error)
        }
        let begun = AuditEvent(.erase, .begun, of: call, by: caller, count: erasure.count, erasure: erasure.id)
        // It is begun, whatever becomes of the log: the event is kept and tried again, and no further step is done before it can be written.
        try? await reservation.recordDurably([begun])
        if erasure.finishedAt == nil { erasures.wake() } else { await erasures.record(erasure) }
        var json = JSONWriter(capacity: 96)
        json.beginObject()
        json.key("erasure")
        json.string(erasure.id)
        json.key("count")
        json.number(erasure.count)
        json.endObject()
        var response = CallResponse.json(202, json.bytes)
        response.headers.append(("Location", "/erasures/\(erasure.id)"))
        return response
    }

    /// `GET /erasures/{id}`: how far it has got.
    func erasure(_ call: Call, _ id: String) async throws(CallError) -> CallResponse {
        _ = try await authenticator.authorize(call, .scope(.deleteAliases))
        let found: Erasure?
        do { found = try await vault.erasure(id) } catch { throw callError(error) }
        guard let erasure = found else { throw .notFound("there is no such erasure, or it has ended 30 days ago") }
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.key("erasure")
        json.string(erasure.id)
        json.key("status")
        json.string(erasure.finishedAt == nil ? "running" : "done")
        for (key, number) in [
            ("count", erasure.count), ("erased", erasure.values), ("aliases", erasure.aliases),
            ("damaged", erasure.damaged),
        ] {
            json.key(key)
            json.number(number)
        }
        json.key("created_at")
        json.string(Instant.text(seconds: erasure.createdAt))
        if let finishedAt = erasure.finishedAt {
            json.key("finished_at")
            json.string(Instant.text(seconds: finishedAt))
        }
        json.endObject()
        return .json(200, json.bytes)
    }
}
