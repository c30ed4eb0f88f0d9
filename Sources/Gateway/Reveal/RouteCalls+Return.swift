import Access
import AuditLog
import Configuration
import EventHTTP
import JSON
import Sensitive
import Vault

extension RouteCalls {
    /// The upstream's response as the caller gets it: with aliases in the place of what the route redacts, and of everything that
    /// the call has revealed. Throws `responseWithheld` if they can't be put there.
    ///
    /// - Parameter held: places of VOLATILE values that are held for it.
    func response(
        _ upstream: UpstreamResponse, _ route: RevealRoute, _ values: RevealedValues, _ held: [VolatilePlace],
        for caller: Caller, _ call: Call
    ) async throws(CallError) -> CallResponse {
        let status = upstream.response.status
        var response = CallResponse(passing: upstream, of: route.route)
        var known = values.aliases.map { SensitiveText($0) }
        if !route.redaction.rules.isEmpty, response.incoming != nil || !response.body.isEmpty {
            guard response.incoming == nil else { throw .responseWithheld(upstreamStatus: status, reason: .tooLarge) }
            known += try await redact(&response, route, values, held, for: caller, call).map { SensitiveText($0) }
        }
        if !values.isEmpty {
            do throws(WithheldReason) {
                response = try await LargeBodies.work(on: response.body.count + values.byteCount) {
                    [response] () throws(WithheldReason) -> CallResponse in
                    var response = response
                    try ReturnedValues(values).scrub(&response, of: upstream.response)
                    return response
                }
            } catch { throw .responseWithheld(upstreamStatus: status, reason: error) }
        }
        try await panGuard.inspect(
            &response, of: upstream.response.headers, subject(route, .response, exempt: known), call)
        return response
    }

    /// Puts aliases in the place of what the route's rules name, and returns them.
    private func redact(
        _ response: inout CallResponse, _ route: RevealRoute, _ values: RevealedValues, _ held: [VolatilePlace],
        for caller: Caller, _ call: Call
    ) async throws(CallError) -> [String] {
        let (status, body) = (response.status, response.body)
        let temporary = TemporaryValues(values)
        // Released where it is made: for a large body that takes as long as reading it.
        var tree: JSONValue?
        let items = try await LargeBodies.work(on: body.count) { () throws(CallError) -> [VaultItem] in
            guard let json = try? JSONValue.parse(body) else {
                throw .responseWithheld(upstreamStatus: status, reason: .notJSON)
            }
            guard let items = route.redaction.items(json, except: temporary) else {
                throw .responseWithheld(upstreamStatus: status, reason: .tooManyValues)
            }
            if !items.isEmpty { tree = json }
            return items
        }
        if items.isEmpty { return [] }
        let aliases: [String]
        do throws(CallError) { aliases = try await store(items, route, held, for: caller, call) } catch {
            throw .responseWithheld(upstreamStatus: status, reason: .aliasesNotStored)
        }
        let redacted = await LargeBodies.work(on: body.count) {
            defer { tree = nil }
            return route.redaction.written(tree ?? .null, aliases: aliases, except: temporary, count: body.count)
        }
        response.replaceBody(redacted)
        return aliases
    }

    /// Values that are stored by one commit. The commit is shared, and other requests must not wait long for theirs.
    private static let itemsPerCommit = 500

    /// An alias for each item, recorded.
    private func store(
        _ items: [VaultItem], _ route: RevealRoute, _ held: [VolatilePlace], for caller: Caller, _ call: Call
    ) async throws(CallError) -> [String] {
        var (aliases, held) = ([String](), held)
        for start in stride(from: 0, to: items.count, by: Self.itemsPerCommit) {
            let some = Array(items[start..<min(start + Self.itemsPerCommit, items.count)])
            let reservation = try audit.requireReservation(for: some.count)
            let places = try volatile.places(for: some, by: caller, from: &held)
            let made: [String]
            do throws(CallError) { made = try await vault.aliases(for: some, telemetry) } catch {
                let outcome = AuditEvent.Outcome(error)
                reservation.record(
                    AuditEvent(.redact, outcome, of: call, by: caller, route: route.route.name, count: some.count))
                throw error
            }
            volatile.keep(places, with: made, in: vault)
            // Before the next ones, which may fail while these stay.
            let events = some.recordable(made).map { event(.redact, $0, route, for: caller, call) }
            do throws(AuditFailure) { try await reservation.recordDurably(events) } catch { throw audit.refusal }
            aliases += made
        }
        return aliases
    }
}
