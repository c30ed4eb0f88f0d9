import FormSchema
import HTTPWire
import JSON
import Logging
import Synchronization
import Vault

/// Answers repeated requests with their first answer (`Idempotency-Key`).
final class Repetitions: Sendable {
    private let vault: Vault
    private let telemetry: Telemetry
    private let digests: RequestDigests
    private let table = RequestTable()
    private let refusals: Mutex<ErrorQuota>
    /// Answers that are about the moment: nothing was done, and later it may be.
    private static let passingStatuses: Set<Int> = [408, 425, 429]
    /// Answers of a vault that are about the caller's credential.
    private static let refusingStatuses: Set<Int> = [401, 403]

    init(_ vault: Vault, telemetry: Telemetry) throws(VaultError) {
        self.vault = vault
        self.telemetry = telemetry
        digests = try RequestDigests(vault)
        refusals = Mutex(ErrorQuota(ofCapacity: vault.answerCapacity))
    }

    /// What `work` answers, or has answered to this request before. Without a key it is simply done.
    ///
    /// Answers of 5xx are not kept: what failed may be tried again. Neither are those that are about the moment (408, 425, 429),
    /// nor those of a vault that are about the caller (401, 403): nothing was done, and later, or with another credential, it
    /// may be. Of one that is too large to be kept it is kept that it was given: then nothing is done twice. Of the gateway's own
    /// refusals only so many are kept.
    ///
    /// - Parameter isVaults: whether the answer is a vault's, and not that of an upstream.
    func once(
        _ call: Call, _ body: JSONText, of schema: FormSchema, by credential: Credential?, isVaults: Bool,
        _ work: () async throws(CallError) -> CallResponse
    ) async throws(CallError) -> CallResponse {
        guard let key = try IdempotencyKey.read(call.head) else { return try await work() }
        let request = try RepeatableRequest(call, body, key, of: schema, by: credential, digests)
        if let known = try await begin(request, call) { return known }
        // From here on the request is this call's to end, whatever happens.
        let claim: AnswerClaim?
        do throws(CallError) {
            switch try await standing(of: request, call) {
            case .answered(let known):
                table.end(request, keptUntil: nil)
                return known
            case .mine(let own): claim = own
            }
        } catch {
            table.end(request, keptUntil: nil)
            throw error
        }
        var answer: CallResponse
        do throws(CallError) { answer = try await work() } catch { answer = .error(error, to: call, on: .client) }
        let until = await keep(answer, isVaults, request)
        if until == nil, let claim { await release(claim) }
        table.end(request, keptUntil: until)
        return answer
    }

    private enum Standing {
        case answered(CallResponse)
        /// Where there are other processes, with what tells them so.
        case mine(AnswerClaim?)
    }

    /// Whether this process is to answer, which it tells the others that share the vault.
    private func standing(of request: RepeatableRequest, _ call: Call) async throws(CallError) -> Standing {
        if let known = try await kept(request, call) { return .answered(known) }
        guard vault.isShared else { return .mine(nil) }
        do throws(VaultError) {
            // It is kept for as long as an answer, so that among answers it is not the first that has to make room.
            let until = WallClock.milliseconds / 1_000 + Self.claimLifetime
            let mark = StoredResponse.mark(of: request.durable, until: until)
            let claim = try await vault.claim(request.name, with: mark, for: IdempotencyKey.lifetime) { bytes in
                StoredResponse(bytes).map(Self.isStale) ?? true
            }
            if let claim { return .mine(claim) }
        } catch {
            telemetry.recordVaultFailure(error)
            throw CallError(error)
        }
        // Another process has come first since.
        if let known = try await kept(request, call) { return .answered(known) }
        throw .requestInProgress
    }

    /// Seconds. What a process was about to answer when it was killed counts as under way for so long.
    private static let claimLifetime: Int64 = 900

    private static func isStale(_ kept: StoredResponse) -> Bool {
        kept.isUnderWayUntil.map { $0 <= WallClock.milliseconds / 1_000 } ?? false
    }

    /// A claim that cannot be taken back now goes with its time.
    private func release(_ claim: AnswerClaim) async {
        do { try await vault.release(claim) } catch { telemetry.recordVaultFailure(error) }
    }

    /// The answer, if there is one; nil if the caller is to make it.
    private func begin(_ request: RepeatableRequest, _ call: Call) async throws(CallError) -> CallResponse? {
        switch table.begin(request, now: WallClock.milliseconds / 1_000) {
        case .mine: return nil
        case .running: throw .requestInProgress
        case .other: throw .idempotencyKeyReused
        case .answered:
            if let known = try await kept(request, call) { return known }
            // It has gone to make room, but it was given.
            throw .responseNotStored
        }
    }

    private func kept(_ request: RepeatableRequest, _ call: Call) async throws(CallError) -> CallResponse? {
        let bytes: [UInt8]?
        do { bytes = try await vault.answer(under: request.name) } catch {
            telemetry.recordVaultFailure(error)
            throw CallError(error)
        }
        guard let kept = bytes.flatMap(StoredResponse.init(_:)), !Self.isStale(kept) else { return nil }
        guard kept.request == request.durable else { throw .idempotencyKeyReused }
        if kept.isUnderWayUntil != nil { throw .requestInProgress }
        guard var answer = kept.answer(named: call.id) else { throw .responseNotStored }
        answer.headers.append(("Idempotent-Replayed", "true"))
        return answer
    }

    /// Until when the answer is kept (Unix seconds); nil if it is not. What has been done is answered all the same.
    private func keep(_ answer: CallResponse, _ isVaults: Bool, _ request: RepeatableRequest) async -> Int64? {
        guard answer.status < 500 else { return nil }
        if Self.passingStatuses.contains(answer.status) { return nil }
        if isVaults, Self.refusingStatuses.contains(answer.status) { return nil }
        let now = WallClock.milliseconds / 1_000
        if answer.errorCode != nil, !refusals.withLock({ $0.take(now: now) }) { return nil }
        let kept = StoredResponse(request: request.durable, answer: answer)
        let until = now + IdempotencyKey.lifetime
        do {
            try await vault.keep(kept.bytes, orAtLeast: kept.trace, under: request.name, for: IdempotencyKey.lifetime)
        } catch {
            telemetry.recordVaultFailure(error)
            return nil
        }
        return until
    }
}
