import Access
import FormSchema
import HTTPWire
import JSON
import Synchronization
import Vault
import VaultRemote

/// Carries out requests with an `Idempotency-Key` once, and returns the first response to repetitions
/// (`docs/reference/proxy.md` section 8).
///
/// A key is claimed durably before its request is carried out. The claim ends in one of two ways: the response takes its place, or it
/// is released because nothing was carried out. If neither is possible (the disk is full, the process was killed), the claim stays until
/// the key expires, and repetitions get 409: a request never reaches its upstream twice under a key that lives.
final class Idempotency: Sendable {
    private let digests: RequestDigests
    private let store: ResponseStore
    private let table = KeyTable()
    private let lifetime: Int64
    private let errors: Mutex<ErrorQuota>

    init(_ vault: Vault, _ limits: IdempotencyLimits, telemetry: Telemetry) throws(VaultError) {
        digests = try RequestDigests(vault)
        store = ResponseStore(vault, limits, telemetry: telemetry)
        lifetime = limits.lifetime
        errors = Mutex(ErrorQuota(limits))
    }

    /// Returns the response of `work`, or the stored response to the same request. Without a key it only calls `work`.
    ///
    /// - Parameters:
    ///   - caller: whose key it is, and whose share of the storage it uses.
    ///   - forwarded: what of the request is passed on, apart from its body.
    ///   - refuse: throws if the request may be nothing but a repetition; asked of any other.
    func once(
        _ call: Call, _ body: JSONText, of schema: FormSchema, by caller: Caller,
        forwarding forwarded: @autoclosure () -> RequestIdentity.Forwarded,
        orRefusing refuse: @autoclosure () throws(CallError) -> Void,
        _ work: () async throws(CallError) -> CallResponse
    ) async throws(CallError) -> CallResponse {
        guard let key = try IdempotencyKey.read(call.head) else {
            try refuse()
            return try await work()
        }
        let forwarded = forwarded()
        let request = try await LargeBodies.work(on: call.bodyCount) { () throws(CallError) -> RequestIdentity in
            try RequestIdentity(call, body, key: key, of: schema, by: caller.owner, forwarding: forwarded, digests)
        }
        let holder = caller.holder
        let now = SystemClock.seconds
        switch table.begin(request, now: now) {
        case .started: break
        case .running: throw .requestInProgress
        case .other: throw .idempotencyKeyReused
        case .finished: return try await finished(request, call)
        }
        // From here on `table.end` must be called, whatever happens.
        let claim: ResponseClaim
        do throws(CallError) {
            switch try await begin(request, call, by: holder, now: now, refuse) {
            case .response(let response):
                table.end(request, until: nil)
                return response
            case .claim(let own): claim = own
            }
        } catch {
            table.end(request, until: nil)
            throw error
        }
        let response: CallResponse
        do throws(CallError) { response = try await work() } catch {
            response = await .error(error, to: call)
        }
        if keepsKey(response) {
            await store.store(response, to: request, by: holder, now: now)
            table.end(request, until: now + lifetime)
        } else {
            await store.release(claim, by: holder, now: now)
            table.end(request, until: nil)
        }
        return response
    }

    /// Updates the metrics. Called regularly.
    func refreshUse() async { await store.refreshUse() }

    private enum Beginning {
        case response(CallResponse)
        case claim(ResponseClaim)
    }

    /// Claims the key, unless there is an entry already.
    private func begin(
        _ request: RequestIdentity, _ call: Call, by holder: Shares.Holder, now: Int64,
        _ refuse: () throws(CallError) -> Void
    ) async throws(CallError) -> Beginning {
        if let entry = try await store.entry(request.name) {
            return .response(try response(of: entry, to: request, call, now: store.unixSeconds))
        }
        if let earlier = request.earlier, earlier.name != request.name, let entry = try await store.entry(earlier.name)
        {
            return .response(try response(of: entry, to: request, call, now: store.unixSeconds))
        }
        try refuse()
        if let claim = try await store.claim(request, by: holder, now: now, call) { return .claim(claim) }
        // Another process was faster.
        guard let entry = try await store.entry(request.name) else { throw .requestInProgress }
        return .response(try response(of: entry, to: request, call, now: store.unixSeconds))
    }

    /// The response to the repetition of a request that this process has finished.
    private func finished(_ request: RequestIdentity, _ call: Call) async throws(CallError) -> CallResponse {
        guard let entry = try await store.entry(request.name) else { throw .responseNotStored }
        return try response(of: entry, to: request, call, now: .max)
    }

    private func response(
        of entry: IdempotencyEntry, to request: RequestIdentity, _ call: Call, now: Int64
    ) throws(CallError) -> CallResponse {
        guard entry.request == request.durable || entry.request == request.earlier?.durable else {
            throw .idempotencyKeyReused
        }
        switch entry.state {
        case .response(let response): return response.replayed(requestID: call.id)
        case .withoutResponse: throw .responseNotStored
        // In an unshared vault a running request is in the table, so this claim is from a process that has ended.
        case .claimed(let until): throw store.isShared && until > now ? .requestInProgress : .responseNotStored
        }
    }

    /// Statuses of refusals by the gateway that may pass: nothing was carried out.
    private static let transient: Set<Int> = [401, 403, 408, 425, 429]

    /// Whether repetitions get this response. If not, the key is released: a repetition tries again.
    private func keepsKey(_ response: CallResponse) -> Bool {
        if response.upstreamMayHaveActed { return true }
        // A remote vault's refusal, passed through or told in a response of the gateway's own.
        if let status = response.upstreamStatus { return !RemoteVaultError.retryableRefusals.contains(status) }
        if response.status >= 500 { return false }
        guard response.errorCode != nil else { return true }
        // An error of the gateway: repetitions get the same as long as there is room.
        if Self.transient.contains(response.status) { return false }
        return errors.withLock { $0.add(now: SystemClock.seconds) }
    }
}
