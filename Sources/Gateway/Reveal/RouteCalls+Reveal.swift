import Access
import AuditLog
import Configuration
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
        // Asked before the look-up: once an alias has expired, the vault no longer knows whether it may be recorded.
        let recordable = try await recordable(candidates.texts)
        var values = try await lookUp(candidates.texts)
        try requireKnown(candidates.texts, values, route, for: caller, call)
        try await requireReach(of: values.aliases, route, for: caller, call)
        if !route.redaction.rules.isEmpty { values.noteTemporary(await temporary(values.aliases)) }
        var revealed = try await LargeBodies.work(on: count) {
            [values] () throws(CallError) -> RevealRequest.Revealed in
            try request.requireAliases(values)
            try candidates.requireRoom(for: values, isPercentEncoded: request.isPercentEncoded)
            return try request.revealed(values)
        }
        let subject = subject(route, .request, exempt: revealed.values.pairs.map(\.value))
        revealed.body = try await panGuard.inspect(revealed.body, isJSON: request.isJSON, subject, call)
        let texts = RequestHeadTexts(
            path: path, query: revealed.query, of: call, on: route.route, replacements: revealed.headers)
        if let masked = try await panGuard.inspect(texts, subject, call) { revealed.replace(masked) }
        let events = await LargeBodies.work(on: count) {
            values.aliases.map { alias in
                event(.reveal, recordable?.contains(alias) == false ? nil : alias, route, for: caller, call)
            }
        }
        if events.isEmpty { return revealed }
        try await audit.requireDurableRecords(of: events)
        telemetry.recordReveal(count: events.count, credential: caller.name ?? "-", requestID: call.id)
        return revealed
    }

    /// Those of these aliases that may be written to the audit log; nil if all may.
    private func recordable(_ texts: [String]) async throws(CallError) -> Set<String>? {
        do {
            let recordable = try await vault.recordable(texts)
            return recordable.count == texts.count ? nil : Set(recordable)
        } catch { throw telemetry.callError(of: error) }
    }

    /// One look-up serves the whole request.
    private func lookUp(_ texts: [String]) async throws(CallError) -> RevealedValues {
        if texts.isEmpty { return RevealedValues([:]) }
        do { return RevealedValues(try await vault.lookUp(texts)) } catch { throw telemetry.callError(of: error) }
    }

    /// Refuses values that the caller may not reach.
    private func requireReach(
        of aliases: [String], _ route: RevealRoute, for caller: Caller, _ call: Call
    ) async throws(CallError) {
        guard caller.permissions.classifiers != nil, !aliases.isEmpty else { return }
        let found: [RevealedAlias]
        do { found = try await vault.reveal(aliases) } catch { throw telemetry.callError(of: error) }
        try requireReach(of: found, route, for: caller, call)
    }

    /// Not inlined: its caller is asynchronous, and values that it iterates over lie where nothing wipes them.
    @inline(never)
    private func requireReach(
        of found: [RevealedAlias], _ route: RevealRoute, for caller: Caller, _ call: Call
    ) throws(CallError) {
        try found.map(\.stored).requireReach(of: caller) { () throws(CallError) in
            try audit.requireRecord(
                of: AuditEvent(
                    .reveal, .forbidden, of: call, by: caller, route: route.route.name, count: found.count))
        }
    }

    /// How many values are asked for at once: they are opened on the loop, which has other requests.
    private static let askedAtOnce = 100

    /// Those of these aliases whose values are unknown some day. Where that cannot be found out, as of one that has just ended, they count
    /// as such.
    private func temporary(_ aliases: [String]) async -> Set<String> {
        var temporary: Set<String> = []
        for start in stride(from: 0, to: aliases.count, by: Self.askedAtOnce) {
            let some = Array(aliases[start..<min(start + Self.askedAtOnce, aliases.count)])
            if let found = try? await vault.reveal(some) {
                temporary.formUnion(Self.temporary(found))
            } else {
                temporary.formUnion(some)
            }
        }
        return temporary
    }

    /// Not inlined, as ``requireReach(of:_:for:_:)``.
    @inline(never)
    private static func temporary(_ found: [RevealedAlias]) -> [String] {
        found.filter(\.stored.isTemporary).map(\.alias)
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
