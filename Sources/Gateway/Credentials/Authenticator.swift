import Access
import AuditLog
import Crypto
import EventIO
import Synchronization

/// Finds out who calls: by a secret, a session or a client's certificate.
///
/// Secrets that are configured as salted hashes are checked off the loops, and remembered by a keyed digest once they have matched.
final class Authenticator: Sendable {
    /// Requests that may wait for a salted hash to be checked.
    private static let queueLimit = 64

    /// Records rejected requests.
    let audit: AuditLog
    let sessions: Sessions
    private let providers: IdentityProviders
    private let table: CredentialTable
    /// Whose turn it is to have a salted hash checked.
    let checks: FairSemaphore
    private let memory: SecretMemory
    private var failed: FailedSecrets { memory.failed }
    let limits: RequestLimits?
    private let telemetry: Telemetry
    private let checksAtOnce: Int
    /// Microseconds that the last check of a salted hash took.
    private let lastCheck = Atomic<Int>(100_000)

    /// - Parameters:
    ///   - providers: whose tokens are taken.
    ///   - limits: on requests; nil for none.
    ///   - memory: of the secrets that were presented before.
    ///   - checksAtOnce: how many salted hashes are checked at once; each costs a core for a good part of a second.
    init(
        _ credentials: [Credential], sessions: Sessions, providers: IdentityProviders, limits: RequestLimits?,
        memory: SecretMemory, audit: AuditLog, telemetry: Telemetry, checksAtOnce: Int
    ) throws(CryptoError) {
        self.limits = limits
        self.telemetry = telemetry
        self.checksAtOnce = max(checksAtOnce, 1)
        self.providers = providers
        self.memory = memory
        self.audit = audit
        self.sessions = sessions
        checks = FairSemaphore(permits: checksAtOnce, queueLimit: Self.queueLimit)
        table = try CredentialTable(credentials, key: memory.key, following: memory.table)
    }

    /// Hands the matched hashes to the next authenticator. Called once this one is in use.
    func takeOver() { memory.table = table }

    /// Who a request comes from. `Authorization` takes precedence over the client's certificate.
    ///
    /// - Parameters:
    ///   - header: `Authorization`.
    ///   - names: those of the client's verified certificate.
    ///   - needsProof: false where anyone may call. Then a Bearer token, or a name of HTTP Basic, that is not known counts as nothing: it
    ///     may be meant for the upstream. A session is looked at all the same, because it must not do more than it was made for; and
    ///     so is a credential's name, whose secret is checked as everywhere.
    /// - Returns: the caller, an anonymous one if nothing was proven, and whether a secret was presented that is wrong.
    func caller(
        presenting header: String?, names: [String], at address: ClientAddress, needsProof: Bool
    ) async throws(CallError) -> (Caller, hasWrongSecret: Bool) {
        guard let header else { return (caller(named: names, at: address), false) }
        var hasTurn = false
        // Behind the count of a failure, so that the next of the address is judged by it.
        defer { if hasTurn { endTurn(of: address) } }
        switch try await find(header, at: address, needsProof: needsProof, &hasTurn) {
        case .caller(let caller): return (caller, false)
        // Where anyone may call, what no credential has counts as nothing.
        case .nothing: return (needsProof ? Caller(anonymousAt: address) : caller(named: names, at: address), false)
        case .knownWrong: return (Caller(anonymousAt: address), false)
        case .wrong(let isNew):
            noteFailure(header, isNew: isNew, from: address)
            return (Caller(anonymousAt: address), true)
        }
    }

    /// The caller that a certificate with these names proves, an anonymous one if it proves none.
    private func caller(named names: [String], at address: ClientAddress) -> Caller {
        table.credential(ofClientNamed: names).map { Caller($0, at: address) } ?? Caller(anonymousAt: address)
    }

    /// The caller that one of several readings of the same header authenticates; nil if none does.
    ///
    /// All wrong readings together are one failed try. It is counted after the last reading, so that a right secret is not counted as wrong
    /// because it can also be read in another way; and only if one of them was not known to be wrong. A wrong secret that is written in
    /// another way is another try.
    func caller(presentingAnyOf readings: [String], at address: ClientAddress) async throws(CallError) -> Caller? {
        var (isWrong, isNew) = (false, false)
        var wait: Int?
        var hasTurn = false
        defer { if hasTurn { endTurn(of: address) } }
        for reading in readings {
            do throws(CallError) {
                switch try await find(reading, at: address, needsProof: true, &hasTurn) {
                case .caller(let caller): return caller
                case .nothing, .knownWrong: break
                case .wrong(let isNewReading):
                    isWrong = true
                    isNew = isNew || isNewReading
                }
            } catch .tooManyWrongSecrets(let seconds) {
                // Another reading may be one that was right lately.
                wait = seconds
            }
        }
        if let wait { throw .tooManyWrongSecrets(retryAfter: wait) }
        if isWrong, let last = readings.last { noteFailure(last, isNew: isNew, from: address) }
        return nil
    }

    private enum Finding {
        case caller(Caller)
        /// No credential, and no failure to count.
        case nothing
        /// A wrong secret, which has been counted before.
        case knownWrong
        /// A secret that no credential has; new if it was not known to be wrong from the address.
        case wrong(isNew: Bool)
    }

    /// - Parameter hasTurn: whether the request has the turn of its address to have a salted hash checked; set when it gets it.
    private func find(
        _ header: String, at address: ClientAddress, needsProof: Bool, _ hasTurn: inout Bool
    ) async throws(CallError) -> Finding {
        var recognition = try recognise(header, at: address, needsProof: needsProof)
        if case .unchecked = recognition, !hasTurn {
            try await awaitTurn(of: address)
            hasTurn = true
            // Others had their turn meanwhile: the secret may be known now, or the address may have to wait for what they tried.
            recognition = try recognise(header, at: address, needsProof: needsProof)
        }
        switch recognition {
        case .caller(let caller): return .caller(caller)
        case .token(let token): return .caller(try await providers.caller(with: token, at: address))
        case .unknown: return .nothing
        case .knownWrong: return .knownWrong
        case .wrong(let digest): return .wrong(isNew: remember(wrong: digest, from: address))
        case .unchecked(let digest):
            if let credential = await check(header, digest, from: address) {
                return .caller(Caller(credential, at: address))
            }
            return .wrong(isNew: remember(wrong: digest, from: address))
        }
    }

    private enum Recognition {
        case caller(Caller)
        /// No secret that is known; it has the shape of a token of an identity provider.
        case token(PresentedSecret)
        case unknown
        /// A secret that was found to be wrong before, and counted then.
        case knownWrong
        /// The digest of a secret that no credential has.
        case wrong([UInt8])
        /// The digest is not known; a salted hash may still match.
        case unchecked([UInt8])
    }

    /// Not `async`, so that the secret is never in an async frame, which is not wiped when it ends.
    @inline(never)
    private func recognise(
        _ header: String, at address: ClientAddress, needsProof: Bool
    ) throws(CallError) -> Recognition {
        guard let presented = Presented(header: header) else { return .unknown }
        if case .bearer(let token) = presented, sessions.isSession(token) {
            let (claims, isEnded) = try sessions.claims(of: token)
            return .caller(caller(with: claims, isEnded: isEnded, at: address))
        }
        guard let digest = try? table.digest(of: presented) else { return .unknown }
        guard needsProof || presented.username.map({ table.hasCredential(usernamed: $0) }) == true else {
            // Whether a salted hash fits would depend on what this process has seen before: the same request would be one caller's today
            // and an anonymous one after a restart. So a Bearer secret that is configured as a hash does not authenticate here.
            return table.credential(ofText: digest).map { .caller(Caller($0, at: address)) } ?? .unknown
        }
        let now = SystemClock.monotonicMilliseconds
        if needsProof, !providers.isEmpty, case .bearer(let token) = presented, SignedToken.isLikely(token.bytes) {
            if case .known(let credential) = table.recognise(digest) { return .caller(Caller(credential, at: address)) }
            return .token(token)
        }
        if let wait = failed.wait(of: address, presenting: digest, at: now) {
            // Not even a right secret is looked at, or trying would go on.
            if failed.isKnownWrong(from: address, presenting: digest, at: now) { return .knownWrong }
            memory.waits.add()
            throw .tooManyWrongSecrets(retryAfter: wait)
        }
        switch table.recognise(digest) {
        case .known(let credential):
            failed.recordSuccess(from: address, secret: digest, at: now)
            return .caller(Caller(credential, at: address))
        case .unchecked:
            if failed.isKnownWrong(from: address, presenting: digest, at: now) { return .knownWrong }
            return .unchecked(digest)
        case .unknown: return .wrong(digest)
        }
    }

    /// Whether the secret was not known to be wrong. Of requests that present it at once one gets `true`.
    private func remember(wrong digest: [UInt8], from address: ClientAddress) -> Bool {
        failed.remember(wrong: digest, from: address, at: SystemClock.monotonicMilliseconds)
    }

    @inline(never)
    private func noteFailure(_ header: String, isNew: Bool, from address: ClientAddress) {
        memory.wrong.add()
        guard isNew, let presented = Presented(header: header) else { return }
        failed.recordFailure(
            from: address, name: presented.username, at: SystemClock.monotonicMilliseconds)
    }

    func write(into text: inout MetricsText) {
        text.single("cloakroom_wrong_secrets_total", .counter, "Secrets that no credential has.", memory.wrong.value)
        text.single(
            "cloakroom_delayed_secrets_total", .counter,
            "Secrets that were not looked at, because too many from the same address were wrong.", memory.waits.value)
        let usage = checks.usage
        text.single("cloakroom_credential_checks", .gauge, "Salted hashes that are checked or wait for it.", usage.used)
        text.single(
            "cloakroom_credential_checks_limit", .gauge,
            "Limit on credentials that wait to be checked against a salted hash.", usage.limit)
        text.single(
            "cloakroom_credential_check_refusals_total", .counter,
            "Requests refused because too many salted hashes were being checked.", memory.busy.value)
    }

    private func caller(with claims: SessionClaims, isEnded: Bool, at address: ClientAddress) -> Caller {
        // A session that a provider's token made has no credential here: it may do what it was made for while the provider is known.
        let permissions: Permissions? =
            if let issuer = claims.issuer {
                providers.has(issuer: issuer) ? Permissions(scopes: .all) : nil
            } else {
                table.credential(named: claims.credential)?.permissions
            }
        return Caller(
            session: claims, of: permissions, isEnded: isEnded, at: address, now: SystemClock.steadySeconds)
    }

    /// Waits until a salted hash may be checked for the address, which has one turn at a time: so a wait that it has earned buys one try,
    /// however many it sends at once.
    private func awaitTurn(of address: ClientAddress) async throws(CallError) {
        let loop = EventLoop.current
        loop?.waitingElsewhere += 1
        defer { loop?.waitingElsewhere -= 1 }
        let now = SystemClock.monotonicMilliseconds
        let hasTurn = await checks.acquire(
            from: address.subscriber.description, isKnown: failed.isTrusted(address, at: now),
            failures: failed.failures(of: address, at: now))
        guard hasTurn else {
            memory.busy.add()
            telemetry.warnOncePerMinute("too many salted hashes of secrets are being checked")
            throw .credentialsBusy(retryAfter: checkWait)
        }
    }

    private func endTurn(of address: ClientAddress) { checks.release(from: address.subscriber.description) }

    /// The credential whose salted hash the secret fits. Called in the address's turn.
    private func check(_ header: String, _ digest: [UInt8], from address: ClientAddress) async -> Credential? {
        // The loop's other requests do not wait for it: it has a thread of its own.
        let loop = EventLoop.current
        loop?.waitingElsewhere += 1
        defer { loop?.waitingElsewhere -= 1 }
        let table = table
        let began = SystemClock.monotonicMicroseconds
        let found = await withTaskExecutorPreference(globalConcurrentExecutor) {
            Presented(header: header).flatMap { table.match($0) }
        }
        lastCheck.store(Int(clamping: SystemClock.monotonicMicroseconds - began), ordering: .relaxed)
        if let found {
            table.remember(digest, as: found)
            let now = SystemClock.monotonicMilliseconds
            failed.recordSuccess(from: address, secret: digest, at: now)
            failed.recordTrust(address, at: now)
        }
        return found?.credential
    }

    /// Seconds after which those who wait now have been checked.
    private var checkWait: Int {
        let each = lastCheck.load(ordering: .relaxed)
        return min(max((checks.waiting * each / checksAtOnce + 999_999) / 1_000_000, 1), 60)
    }

    /// The credential of this name; nil if there is none.
    func credential(named name: String) -> Credential? { table.credential(named: name) }
}

extension Caller {
    fileprivate init(_ credential: Credential, at address: ClientAddress) {
        self.init(credential: credential.name, credential.permissions, at: address)
    }
}
