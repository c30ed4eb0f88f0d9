import Access
import Crypto
import Synchronization

/// Recognises sessions, and knows what the store holds of them: the uses of those that are counted, and early ends.
final class Sessions: Sendable {
    /// Records one use durably, before the request is carried out. Returns whether the session had one left.
    typealias Recorder = @Sendable (SessionUse) async throws(CallError) -> Bool

    /// Signs new sessions.
    let key: SessionKey
    /// Those that were ended early, as far as this process knows.
    let ended: EndedSessions
    private let verifier: SessionVerifier
    private let recordUse: Recorder

    init(_ keys: AccessKeys, ended: EndedSessions = EndedSessions(), recordUse: @escaping Recorder) {
        key = keys.session
        self.ended = ended
        verifier = SessionVerifier([keys.session])
        self.recordUse = recordUse
    }

    /// Whether a Bearer token claims to be a session of this vault.
    func isSession(_ token: PresentedSecret) -> Bool { verifier.isSession(token.bytes) }

    /// The claims of a session that has not been ended. Throws `refusedToken` if it is none.
    func claims(of token: PresentedSecret) throws(CallError) -> SessionClaims {
        guard let claims = verifier.claims(of: token.bytes) else { throw .refusedToken(.notASession) }
        switch ended.status(of: claims.id, at: WallClock.monotonicMicroseconds / 1_000) {
        case .current: return claims
        case .ended: throw .refusedToken(.notASession)
        // The store could not be read for so long that it is not known who may still come in.
        case .unknown: throw .unavailable
        }
    }

    /// Records a use of a session that has a `maxRequests`.
    func use(_ session: SessionClaims) async throws(CallError) {
        let use: SessionUse?
        do { use = try SessionUse(of: session) } catch { throw .internalError }
        guard let use else { return }
        guard try await recordUse(use) else { throw .refusedToken(.usedUp) }
    }
}
