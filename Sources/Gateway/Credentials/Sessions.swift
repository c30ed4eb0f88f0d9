import Access
import Crypto
import Vault

/// Recognises sessions, and knows what the store holds of them: the uses of those that are counted, and early ends.
final class Sessions: Sendable {
    /// Signs new sessions.
    let key: SessionKey
    /// Those that were ended early, as far as this process knows.
    let ended = EndedSessions()
    private let verifier: SessionVerifier
    private let vault: Vault
    private let telemetry: Telemetry

    /// - Parameter vault: keeps uses and ends.
    init(_ keys: AccessKeys, vault: Vault, telemetry: Telemetry) {
        key = keys.session
        verifier = SessionVerifier(keys.session)
        self.vault = vault
        self.telemetry = telemetry
    }

    /// Whether a Bearer token claims to be a session of this vault.
    func isSession(_ token: PresentedSecret) -> Bool { verifier.isSession(token.bytes) }

    /// The claims of a session, and whether it was ended early. Throws `refusedToken` if it is none.
    func claims(of token: PresentedSecret) throws(CallError) -> (claims: SessionClaims, isEnded: Bool) {
        guard let claims = verifier.claims(of: token.bytes) else { throw .refusedToken(.notASession) }
        switch ended.status(of: claims.id, at: SystemClock.monotonicMilliseconds) {
        case .current: return (claims, false)
        case .ended: return (claims, true)
        // The store could not be read for so long that it is not known who may still come in.
        case .unknown: throw .unavailable
        }
    }

    /// Records a use of a session that has a `maxRequests`, before the request is carried out. If that fails, nothing was carried
    /// out, and the request may be repeated.
    func use(_ session: SessionClaims, _ call: Call) async throws(CallError) {
        let use: SessionUse?
        do { use = try SessionUse(of: session) } catch { throw .internalError }
        guard let use else { return }
        let hadOneLeft: Bool
        do { hadOneLeft = try await vault.record(use, within: call.takeWaitLimit()) } catch {
            telemetry.recordVaultFailure(error)
            // Nothing was carried out: whether the use was counted does not matter to the caller.
            if case .damaged = error { throw .damaged(alias: nil) }
            throw .unavailable
        }
        guard hadOneLeft else { throw .refusedToken(.usedUp) }
    }

    /// Ends a session early: durably, then here at once, and in other processes within a second.
    func end(_ session: SessionClaims) async throws(CallError) {
        guard ended.hasRoom(for: session.owner) else { throw .unavailable }
        let ending = SessionEnding(of: session)
        do { try await vault.record(ending) } catch { throw telemetry.callError(of: error) }
        ended.merge([ending], at: nil)
    }

    func write(into text: inout MetricsText) {
        text.single(
            "cloakroom_ended_sessions", .gauge, "Sessions that were ended early and would still live.", ended.count)
        text.single(
            "cloakroom_ended_sessions_limit", .gauge, "Limit on early ends of sessions that are remembered.",
            EndedSessions.maximum)
    }
}

extension SessionID {
    /// A new one.
    static var random: SessionID {
        SessionID(high: SystemRandomNumberGenerator.word, low: SystemRandomNumberGenerator.word)
    }
}
