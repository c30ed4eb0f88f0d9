import Access
import AuditLog
import FormSchema
import Vault

/// Creates the aliases of a submission, in the gateway's vault or in a remote one, and records that in the audit log. The step
/// that `aliases`, `tokens` and `send` share. A class, so that a call retains one reference and not each of its properties.
final class AliasCreation: Sendable {
    let vault: Vault
    private let remote: RemoteTokenizer?
    let telemetry: Telemetry
    let audit: AuditLog
    private let limits: AliasLimits

    /// - Parameter remote: where aliases are created, if not in `vault`.
    init(
        vault: Vault, remote: RemoteTokenizer?, limits: AliasLimits, telemetry: Telemetry, audit: AuditLog
    ) {
        self.limits = limits
        self.vault = vault
        self.remote = remote
        self.telemetry = telemetry
        self.audit = audit
    }

    /// The aliases of a submission.
    struct Created: Sendable {
        /// One for each item, in their order.
        var aliases: [String] = []
        /// Those that show characters of a VOLATILE value. They must not reach a disk.
        var fleeting: [String] = []
    }

    /// Headers of the caller that go to the remote vault, in lower case.
    func forwardedHeaders(_ operation: FormOperation) -> [String] { remote?.forwardedHeaders(operation) ?? [] }

    /// Creates all aliases or none. Without items the vault is not called.
    ///
    /// - Parameter operation: decides the version of a remote vault's API.
    func aliases(
        for items: [AliasItem], _ operation: FormOperation, by caller: Caller, _ call: Call
    ) async throws(CallError) -> Created {
        if items.isEmpty { return Created() }
        let request = try vaultItems(items)
        let places = try limits.admit(
            request, recognizes: remote != nil || vault.configuration.reuse, by: caller, call)
        let reservation = try audit.requireReservation()
        let aliases: [String]
        do throws(CallError) { aliases = try await create(request, operation, by: caller, call) } catch {
            reservation.record(AuditEvent(.create, AuditEvent.Outcome(error), of: call, by: caller, count: items.count))
            throw error
        }
        if remote == nil { limits.volatile.keep(places, with: aliases, in: vault) }
        var created = Created(aliases: aliases)
        var recordable = aliases
        if remote != nil || !request.makeRecordableAliases() {
            let verdicts = request.recordable(aliases, areForeign: remote != nil)
            recordable = verdicts.compactMap(\.self)
            created.fleeting = zip(aliases, verdicts).filter { $0.1 == nil }.map(\.0)
        }
        reservation.record(
            AuditEvent(.create, of: call, by: caller, aliases: recordable, count: aliases.count))
        return created
    }

    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    @inline(never)
    private func vaultItems(_ items: [AliasItem]) throws(CallError) -> [VaultItem] {
        var request: [VaultItem] = []
        request.reserveCapacity(items.count)
        // By the clock that decides when they have ended.
        let now = vault.configuration.clock.unixSeconds()
        for item in items {
            guard let format = AliasFormat(rawValue: item.format) else { throw .internalError }
            let storage: Storage = item.storage == .volatile ? .volatile : .persistent
            request.append(
                .value(
                    item.value, format: format, classifiers: item.classifiers, storage: storage,
                    expiresAt: item.ttl.map { now + Int64($0) }))
        }
        return request
    }

    private func create(
        _ items: [VaultItem], _ operation: FormOperation, by caller: Caller, _ call: Call
    ) async throws(CallError) -> [String] {
        if let remote { return try await remote.aliases(for: items, operation, call) }
        return try await vault.aliases(
            for: items, admission: limits.admission(for: caller), within: call.takeWaitLimit(), telemetry)
    }
}
