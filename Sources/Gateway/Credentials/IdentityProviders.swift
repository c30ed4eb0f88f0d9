import Access
import Configuration
import EventHTTP
import JSON

/// Verifies tokens of identity providers (`auth.jwt`).
final class IdentityProviders: Sendable {
    private let providers: [IdentityProvider]
    private let issuers: [TokenIssuer]
    private let telemetry: Telemetry
    private let refusals: [Counter]

    /// - Parameter old: those that these take the place of. Keys that were fetched from where they still come from stay known, and are not
    ///   fetched again before their time.
    init(
        _ settings: AuthSettings, client: Client, following old: IdentityProviders? = nil, telemetry: Telemetry
    ) throws(StartError) {
        providers = try settings.jwt.map { (issuer) throws(StartError) in
            try IdentityProvider(issuer, client: client, following: old?.providers ?? [], telemetry: telemetry)
        }
        issuers = providers.map(\.issuer)
        refusals = old?.refusals ?? TokenRefusal.allCases.map { _ in Counter() }
        self.telemetry = telemetry
    }

    /// Whether tokens of any provider are taken.
    var isEmpty: Bool { providers.isEmpty }

    /// Whether the provider that a session's token came from is still configured.
    func has(issuer: String) -> Bool { issuers.contains { $0.issuer.hasSameBytes(as: issuer) } }

    /// The caller that a token speaks for. Throws `refusedToken` if it is signed and has expired or has a claim that nothing can be made of,
    /// and `unauthorized` for all else that is wrong about it: what, the log and the metric say.
    func caller(with token: PresentedSecret, at address: ClientAddress) async throws(CallError) -> Caller {
        let signed: SignedToken
        let provider: IdentityProvider
        do throws(TokenRefusal) { (signed, provider) = try read(token) } catch { throw refusal(error) }
        guard let keys = try await provider.keys(for: signed.keyID) else { throw refusal(.unknownKey) }
        do throws(TokenRefusal) {
            let (subject, permissions) = try signed.verify(
                with: keys, for: provider.issuer, at: SystemClock.steadySeconds)
            return Caller(token: subject, permissions, at: address)
        } catch { throw refusal(error, claim: signed.badClaim) }
    }

    private func read(_ token: PresentedSecret) throws(TokenRefusal) -> (SignedToken, IdentityProvider) {
        let signed = try SignedToken(token.bytes)
        return (signed, providers[try signed.index(among: issuers)])
    }

    /// - Parameter claim: the one that `badClaim` is about, of a token whose signature is right.
    private func refusal(_ refusal: TokenRefusal, claim: TokenClaim? = nil) -> CallError {
        if let index = TokenRefusal.allCases.firstIndex(of: refusal) { refusals[index].add() }
        telemetry.warnOncePerMinute("a token of an identity provider is refused: \(refusal.rawValue)")
        switch (refusal, claim) {
        case (.expired, _): return .refusedToken(.expired)
        case (.badClaim, let claim?): return .refusedToken(.badClaim(claim))
        default: return .unauthorized
        }
    }

    func write(into text: inout MetricsText) {
        text.begin(
            "cloakroom_refused_tokens_total", .counter, "Tokens of identity providers that were refused, by reason.")
        // Every reason from 0: Prometheus' `increase` ignores the first sample of a series.
        for (reason, counter) in zip(TokenRefusal.allCases, refusals) {
            text.sample(["reason": reason.rawValue], Double(counter.value))
        }
    }
}
