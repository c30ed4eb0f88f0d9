import Access
import AuditLog
import Configuration
import JSON
import Vault

extension VaultCalls {
    /// `POST /aliases`, and `POST /tokens` with the same bodies. All items or none.
    func create(_ call: Call) async throws(CallError) -> CallResponse {
        let caller = try await authenticator.authorize(call, .scope(.createAliases))
        let body = try await object(call, members: ["data"])
        guard case .array(let elements)? = body["data"], !elements.isEmpty else {
            throw .malformed("data must be an array with at least one item")
        }
        try requireCount(elements.count)
        let storage = try storage(call)
        let items: [VaultItem]
        let now = vault.configuration.clock.unixSeconds()
        do { items = try VaultItemReader.read(elements, ofAliasesIn: storage, now: now) } catch {
            if case .aliasesNotFound = error {
                let error = VaultError.unknownAliases([])
                try audit.requireRecord(of: event(.create, error, of: elements.count, by: caller, call))
            }
            throw error
        }
        let share = items.contains { $0.reference != nil } ? limits.reveals.share(of: caller) : nil
        let referenced = try await recordReferences(in: items, of: share, by: caller, call)
        let volatile = referenced > 0 ? try await volatileReferences(in: items) : []
        let places = try limits.admit(
            items, volatileReferences: volatile, recognizes: vault.configuration.reuse, by: caller, call)
        let reservation = try audit.requireReservation()
        let stored: [StoredValue]
        let limit = referenced > 0 ? nil : call.takeWaitLimit()
        do {
            stored = try await vault.create(
                items, admission: limits.admission(for: caller, givesClassifiers: true), within: limit)
        } catch {
            reservation.record(event(.create, error, of: items.count, by: caller, call))
            throw callError(error)
        }
        // A reference returns all aliases of the value: those of other items and requests have places of their own.
        limits.volatile.keep(places, with: stored.requestedAliases(), in: vault)
        if referenced > 0 {
            telemetry.recordReveal(count: referenced, credential: caller.name ?? "-", requestID: call.id)
        }
        let made = stored.recordableAliases()
        reservation.record(AuditEvent(.create, of: call, by: caller, aliases: made.aliases, count: made.count))
        var response = CallResponse.json(201, text(of: stored, to: items, caller))
        share?.settle(at: response.body.count)
        response.share = share
        return response
    }

    /// Of a value that others have stored, and the caller may not reach, only the labels that this request gives are shown. Not inlined:
    /// raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    @inline(never)
    private func text(of stored: [StoredValue], to items: [VaultItem], _ caller: Caller) -> [UInt8] {
        StoredValueText.array(
            zip(stored, items).map { stored, item in
                guard case .value(_, _, let given, _, _) = item,
                    !caller.permissions.reaches(classifiers: stored.classifiers)
                else { return stored }
                return stored.showing(classifiers: stored.classifiers.among(given))
            })
    }

    /// The references to VOLATILE values: each makes another alias, which takes a place as a value does.
    private func volatileReferences(in items: [VaultItem]) async throws(CallError) -> Set<String> {
        do { return try await vault.volatileReferences(in: items) } catch { throw callError(error) }
    }

    /// The response to a reference contains its value, so a reference is a reveal: it needs that scope, and is recorded before anything
    /// is stored. Returns how many there are.
    private func recordReferences(
        in items: [VaultItem], of share: RevealShares.Share?, by caller: Caller, _ call: Call
    ) async throws(CallError) -> Int {
        let count = items.count { $0.reference != nil }
        guard count > 0 else { return 0 }
        guard caller.permissions.scopes.contains(.revealAliases) else {
            let scope = Scope.revealAliases.rawValue
            try audit.requireRecord(of: AuditEvent(.reveal, .forbidden, of: call, by: caller, count: count))
            throw .forbidden("to reference an alias the credential needs \(scope)")
        }
        // Collected now: once a value has expired, its aliases can't be looked up any more.
        let recordable = try await recordable(items.compactMap(\.reference))
        let aliases: [String]
        do { aliases = try await vault.references(in: items, of: share) } catch {
            try audit.requireRecord(of: event(.create, error, of: items.count, by: caller, call))
            throw callError(error)
        }
        try await requireReach(of: aliases, storage: nil, .reveal, caller, call)
        try await audit.requireDurableRecord(
            of: AuditEvent(.reveal, of: call, by: caller, aliases: recordable, count: aliases.count))
        return aliases.count
    }
}

extension VaultItem {
    /// The alias that it references.
    fileprivate var reference: String? {
        if case .reference(let alias, _, _) = self { alias } else { nil }
    }
}
