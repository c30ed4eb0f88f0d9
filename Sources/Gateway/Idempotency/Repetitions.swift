import FormSchema
import HTTPWire
import Logging
import Synchronization
import Vault

/// Answers repeated requests with their first answer (`Idempotency-Key`).
final class Repetitions: Sendable {
    private let vault: Vault
    private let telemetry: Telemetry
    private let digests: RequestDigests
    private let table = RequestTable()
    private let refusals: Mutex<RefusalQuota>
    /// Answers that are about the moment: nothing was done, and later it may be.
    private static let passingStatuses: Set<Int> = [408, 425, 429]
    /// Answers of a vault that are about the caller's credential.
    private static let refusingStatuses: Set<Int> = [401, 403]

    init(_ vault: Vault, telemetry: Telemetry) throws(VaultError) {
        self.vault = vault
        self.telemetry = telemetry
        digests = try RequestDigests(vault)
        refusals = Mutex(RefusalQuota(ofCapacity: vault.responseCapacity))
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
        _ call: Call, of schema: FormSchema, by credential: Credential?, isVaults: Bool,
        _ work: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let key: String?
        do { key = try IdempotencyKey.read(call.head) } catch { throw .fault(error) }
        guard let key else { return try await work() }
        let request = try RepeatableRequest(call, key, of: schema, by: credential, digests)
        if let known = try await begin(request, call) { return known }
        // From here on the request is this call's to end, whatever happens.
        let claim: ResponseClaim?
        do throws(Failure) {
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
        var answer: Answer
        do throws(Failure) { answer = try await work() } catch { answer = error.answer(to: call, on: .client) }
        let until = await keep(answer, isVaults, request)
        if until == nil, let claim { await release(claim) }
        table.end(request, keptUntil: until)
        return answer
    }

    private enum Standing {
        case answered(Answer)
        /// Where there are other processes, with what tells them so.
        case mine(ResponseClaim?)
    }

    /// Whether this process is to answer, which it tells the others that share the vault.
    private func standing(of request: RepeatableRequest, _ call: Call) async throws(Failure) -> Standing {
        if let known = try await kept(request, call) { return .answered(known) }
        guard vault.isShared else { return .mine(nil) }
        do throws(VaultError) {
            // It is kept for as long as an answer, so that among answers it is not the first that has to make room.
            let until = WallClock.milliseconds / 1_000 + Self.claimLifetime
            let mark = KeptAnswer.mark(of: request.durable, until: until)
            let claim = try await vault.claimResponse(request.name, with: mark, for: IdempotencyKey.lifetime) { bytes in
                KeptAnswer(bytes).map(Self.isStale) ?? true
            }
            if let claim { return .mine(claim) }
        } catch {
            telemetry.recordVaultFailure(error)
            throw Failure(error)
        }
        // Another process has come first since.
        if let known = try await kept(request, call) { return .answered(known) }
        throw .problem(.requestInProgress)
    }

    /// Seconds. What a process was about to answer when it was killed counts as under way for so long.
    private static let claimLifetime: Int64 = 900

    private static func isStale(_ kept: KeptAnswer) -> Bool {
        kept.isUnderWayUntil.map { $0 <= WallClock.milliseconds / 1_000 } ?? false
    }

    /// A claim that cannot be taken back now goes with its time.
    private func release(_ claim: ResponseClaim) async {
        do { try await vault.release(claim) } catch { telemetry.recordVaultFailure(error) }
    }

    /// The answer, if there is one; nil if the caller is to make it.
    private func begin(_ request: RepeatableRequest, _ call: Call) async throws(Failure) -> Answer? {
        switch table.begin(request, now: WallClock.milliseconds / 1_000) {
        case .mine: return nil
        case .running: throw .problem(.requestInProgress)
        case .other: throw .problem(.idempotencyKeyReused)
        case .answered:
            if let known = try await kept(request, call) { return known }
            // It has gone to make room, but it was given.
            throw .problem(.answerTooLargeToKeep)
        }
    }

    private func kept(_ request: RepeatableRequest, _ call: Call) async throws(Failure) -> Answer? {
        let bytes: [UInt8]?
        do { bytes = try await vault.response(under: request.name) } catch {
            telemetry.recordVaultFailure(error)
            throw Failure(error)
        }
        guard let kept = bytes.flatMap(KeptAnswer.init(_:)), !Self.isStale(kept) else { return nil }
        guard kept.request == request.durable else { throw .problem(.idempotencyKeyReused) }
        if kept.isUnderWayUntil != nil { throw .problem(.requestInProgress) }
        guard var answer = kept.answer(named: call.id) else { throw .problem(.answerTooLargeToKeep) }
        answer.headers.append(("Idempotent-Replayed", "true"))
        return answer
    }

    /// Until when the answer is kept (Unix seconds); nil if it is not. What has been done is answered all the same.
    private func keep(_ answer: Answer, _ isVaults: Bool, _ request: RepeatableRequest) async -> Int64? {
        guard answer.status < 500 else { return nil }
        if Self.passingStatuses.contains(answer.status) { return nil }
        if isVaults, Self.refusingStatuses.contains(answer.status) { return nil }
        let now = WallClock.milliseconds / 1_000
        if answer.errorCode != nil, !refusals.withLock({ $0.take(now: now) }) { return nil }
        let kept = KeptAnswer(request: request.durable, answer: answer)
        let until = now + IdempotencyKey.lifetime
        do {
            try await vault.storeResponse(
                kept.bytes, orAtLeast: kept.trace, under: request.name, for: IdempotencyKey.lifetime)
        } catch {
            telemetry.recordVaultFailure(error)
            return nil
        }
        return until
    }
}
