import Access
import AuditLog
import Configuration
import EventHTTP
import HTTPWire
import Sensitive
import Vault

extension RouteCalls {
    /// The request with values in the place of aliases. Nothing has been sent when this throws, and everything that will be revealed
    /// is recorded when it returns.
    func reveal(
        _ call: Call, _ route: RevealRoute, path: ForwardPath, for caller: Caller
    ) async throws(CallError) -> RevealRequest.Revealed {
        var request: RevealRequest?
        let failure: CallError
        do throws(CallError) {
            let revealed = try await reveal(call, route, path: path, for: caller, &request)
            await LargeBodies.work(on: call.bodyCount) { request = nil }
            return revealed
        } catch { failure = error }
        // Releasing what a large body was read into takes as long as reading it.
        await LargeBodies.work(on: call.bodyCount) { request = nil }
        throw failure
    }

    private func reveal(
        _ call: Call, _ route: RevealRoute, path: ForwardPath, for caller: Caller, _ read: inout RevealRequest?
    ) async throws(CallError) -> RevealRequest.Revealed {
        let count = call.bodyCount
        let (request, candidates) = try await LargeBodies.begin(call) {
            () throws(CallError) -> (RevealRequest, AliasCandidates) in
            let request = try RevealRequest(call, route)
            read = request
            return (request, try request.candidates())
        }
        let headers = call.head.headers
        try await panGuard.requireReadable(call.request.body, headers, subject(route, .request, exempt: []))
        let values = try await lookUp(candidates.texts)
        try requireKnown(candidates.texts, values, route, for: caller, call)
        try requireReach(of: values, route, for: caller, call)
        var revealed = try await LargeBodies.work(on: count + values.byteCount) {
            () throws(CallError) -> RevealRequest.Revealed in
            try request.requireAliases(values)
            try candidates.requireRoom(for: values, isPercentEncoded: request.isPercentEncoded)
            return try request.revealed(values)
        }
        let subject = subject(route, .request, exempt: revealed.values.pairs.map(\.value))
        revealed.body = try await panGuard.inspect(
            revealed.body, isJSON: BodyText.isWrittenAsJSON(headers), subject, call)
        let texts = RequestHeadTexts(
            path: path, query: revealed.query, of: call, on: route.route, replacements: revealed.headers)
        if let masked = try await panGuard.inspect(texts, subject, call) { revealed.replace(masked) }
        let events = await LargeBodies.work(on: count) {
            values.aliases.map { alias in
                event(.reveal, values.isRecordable(alias) ? alias : nil, route, for: caller, call)
            }
        }
        if events.isEmpty { return revealed }
        try await audit.requireDurableRecords(of: events)
        telemetry.recordReveal(count: events.count, credential: caller.name ?? "-", requestID: call.id)
        return revealed
    }

    /// One look-up serves the whole request.
    private func lookUp(_ texts: [String]) async throws(CallError) -> RevealedValues {
        if texts.isEmpty { return RevealedValues([:]) }
        do { return RevealedValues(try await vault.lookUp(texts)) } catch { throw telemetry.callError(of: error) }
    }

    /// Refuses values that the caller may not reach.
    private func requireReach(
        of values: RevealedValues, _ route: RevealRoute, for caller: Caller, _ call: Call
    ) throws(CallError) {
        try caller.requireReach(of: values.classifiers) { () throws(CallError) in
            try audit.requireRecord(
                of: AuditEvent(
                    .reveal, .forbidden, of: call, by: caller, route: route.route.name, count: values.classifiers.count)
            )
        }
    }

    /// Refuses texts that have the shape of an alias and are none, if the route says so.
    private func requireKnown(
        _ texts: [String], _ values: RevealedValues, _ route: RevealRoute, for caller: Caller, _ call: Call
    ) throws(CallError) {
        guard route.rules.unknownAliases == .refuse else { return }
        let unknown = texts.filter { AliasShape.isUnmistakable($0) && values[$0] == nil }
        if unknown.isEmpty { return }
        try audit.requireRecord(
            of: AuditEvent(.reveal, .unknown, of: call, by: caller, route: route.route.name, count: unknown.count))
        throw .unknownAliases(unknown)
    }

    func subject(
        _ route: RevealRoute, _ passage: GuardFinding.Passage, exempt: [SensitiveText]
    ) -> PANGuard.Subject {
        PANGuard.Subject(scope: .route(route.route.name), passage: passage, action: route.panGuard, exempt: exempt)
    }
}
