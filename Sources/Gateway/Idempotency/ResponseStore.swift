import Access
import Synchronization
import Vault

/// The entries of idempotency keys in the vault, within the limits of `vault.idempotency`. An entry is never removed before it expires,
/// unless its claim is released: when there is no room, new keys are refused.
final class ResponseStore: Sendable {
    private let vault: Vault
    private let limits: IdempotencyLimits
    private let telemetry: Telemetry
    private let shares: Mutex<ResponseShares>
    private let refusals = Counter()
    private let unstored = Counter()
    /// Use at the last look.
    private let lastUse = Mutex(ResponseShares.Use())

    /// Seconds for which a claim of another process counts as running.
    private static let claimTime: Int64 = 900

    /// After a first try that took longer there is no second one: the caller waits.
    private static let quick = Duration.seconds(2)

    init(_ vault: Vault, _ limits: IdempotencyLimits, telemetry: Telemetry) {
        self.vault = vault
        self.limits = limits
        self.telemetry = telemetry
        shares = Mutex(ResponseShares(limits))
        telemetry.addMetrics { [weak self] in self?.write(into: &$0) }
    }

    /// Whether other processes may carry out requests too.
    var isShared: Bool { vault.isShared }

    /// Unix seconds by the clock that all processes of the vault go by.
    var unixSeconds: Int64 { vault.configuration.clock.unixSeconds() }

    /// The entry of a name; nil if there is none that lives.
    func entry(_ name: [UInt8]) async throws(CallError) -> IdempotencyEntry? {
        let bytes = try await withVault { () throws(VaultError) in try await vault.response(under: name) }
        guard let bytes else { return nil }
        // An entry that can't be read is one of a request that was carried out.
        guard let entry = IdempotencyEntry(bytes) else { throw .responseNotStored }
        return entry
    }

    /// Stores a claim, durably. Nil if there is an entry, which another process has stored meanwhile. Throws if there is no room.
    ///
    /// - Parameter holder: whose share it uses.
    func claim(
        _ request: RequestIdentity, by holder: Shares.Holder, now: Int64, _ call: Call
    ) async throws(CallError) -> ResponseClaim? {
        let total = try await use()
        if let wait = shares.withLock({ $0.wait(of: holder, total: total, now: now) }) {
            refusals.add()
            telemetry.warnOncePerMinute(
                "a caller has used up its share of the storage for responses (vault.idempotency)")
            throw .idempotencyStorageFull(retryAfter: Int(wait))
        }
        let limit = call.takeWaitLimit()
        let mark = IdempotencyEntry.claim(of: request.durable, until: unixSeconds + Self.claimTime)
        let claim: ResponseClaim?
        do {
            claim = try await vault.claimResponse(request.name, with: mark, for: limits.lifetime, within: limit)
        } catch {
            telemetry.recordVaultFailure(error)
            // Nothing was carried out, whether or not the claim is stored: the call is refused, and the vault removes the claim,
            // unless the process ends before.
            if case .outcomeUnknown = error { throw .unavailable }
            throw CallError(error)
        }
        if claim != nil { shares.withLock { $0.add(entries: 1, holder, now: now) } }
        return claim
    }

    /// Puts the response in the place of the claim. If that is not possible, the claim stays, and repetitions get 409.
    func store(_ response: CallResponse, to request: RequestIdentity, by holder: Shares.Holder, now: Int64) async {
        var bytes = response.isStorable ? IdempotencyEntry.bytes(of: response, to: request.durable) : nil
        if let count = bytes?.count, let total = try? await use() {
            let hasRoom = shares.withLock { shares in
                guard shares.mayAdd(bytes: count, holder, total: total, now: now) else { return false }
                shares.add(bytes: count, holder, now: now)
                return true
            }
            if !hasRoom { bytes = nil }
        }
        if bytes == nil { unstored.add() }
        let entry = bytes ?? IdempotencyEntry.withoutResponse(of: request.durable)
        do throws(VaultError) { try await store(entry, under: request.name) } catch {
            telemetry.recordVaultFailure(error)
        }
    }

    private func store(_ entry: [UInt8], under name: [UInt8]) async throws(VaultError) {
        let began = ContinuousClock.now
        do { try await vault.storeResponse(entry, under: name, for: limits.lifetime) } catch {
            // The connection broke; the next one may be made at once, unless it was the server that stood still.
            guard case .outcomeUnknown = error, .now - began < Self.quick else { throw error }
            try await vault.storeResponse(entry, under: name, for: limits.lifetime)
        }
    }

    /// Removes the claim of a request that was not carried out. If that fails, repetitions get 409 until the vault, which tries it
    /// again, has removed it.
    ///
    /// - Parameter now: when it was claimed.
    func release(_ claim: ResponseClaim, by holder: Shares.Holder, now: Int64) async {
        shares.withLock { $0.add(entries: -1, holder, now: now) }
        do { try await vault.release(claim) } catch { telemetry.recordVaultFailure(error) }
    }

    private func use() async throws(CallError) -> ResponseShares.Use {
        let totals = try await withVault { () throws(VaultError) in try await vault.responseTotals() }
        let total = ResponseShares.Use(entries: totals.count, bytes: totals.bytes)
        lastUse.withLock { $0 = total }
        return total
    }

    private func withVault<Result>(_ work: () async throws(VaultError) -> Result) async throws(CallError) -> Result {
        do { return try await work() } catch { throw telemetry.callError(of: error) }
    }

    /// Reads the use for the metrics, which are written without waiting. Called regularly.
    func refreshUse() async { _ = try? await use() }

    private func write(into text: inout MetricsText) {
        let use = lastUse.withLock { $0 }
        text.single("cloakroom_idempotency_entries", .gauge, "Idempotency keys that live.", use.entries)
        text.single(
            "cloakroom_idempotency_entries_limit", .gauge, "Limit on idempotency keys that live.", limits.entries)
        text.single(
            "cloakroom_idempotency_bytes", .gauge, "Bytes of the responses stored for idempotency keys.", use.bytes)
        text.single(
            "cloakroom_idempotency_bytes_limit", .gauge, "Limit on the bytes of responses stored for idempotency keys.",
            limits.bytes)
        text.single(
            "cloakroom_idempotency_refusals_total", .counter,
            "Requests refused because there was no room for their key.",
            refusals.value)
        text.single(
            "cloakroom_idempotency_unstored_total", .counter,
            "Responses that were not stored: too large, not storable, or no room.", unstored.value)
    }
}
