import Access
import Configuration
import EventHTTP
import JSON

/// An identity provider whose tokens are taken, with its keys: of a file, or fetched over the gateway's own client
/// (`docs/reference/access.md` section 3).
final class IdentityProvider: Sendable {
    let issuer: TokenIssuer
    private let source: Source

    private enum Source: Sendable {
        case file(JSONWebKeySet)
        case url(FetchedKeys)
    }

    /// - Parameters:
    ///   - old: those of the configuration before.
    ///   - timeouts: of a fetch. Requests with a token that needs it wait for as long.
    init(
        _ settings: AuthSettings.Issuer, client: Client, following old: [IdentityProvider] = [], telemetry: Telemetry,
        timeouts: ClientTimeouts = ClientTimeouts(
            connect: .seconds(5), response: .seconds(10), exchange: .seconds(15))
    ) throws(StartError) {
        issuer = TokenIssuer(settings)
        switch settings.keys {
        case .file(let path):
            do { source = .file(try Self.keys(ofFile: path)) } catch { throw StartError("auth.jwt: \(path): \(error)") }
        case .url(let url, let query):
            if let known = old.lazy.compactMap({ $0.fetched(for: settings) }).first {
                source = .url(known)
                return
            }
            do {
                let keys = try FetchedKeys(
                    url, query: query, of: settings.issuer, client: client, telemetry: telemetry, timeouts: timeouts)
                source = .url(keys)
            } catch {
                throw StartError("auth.jwt: \(url): \(error)")
            }
        }
    }

    /// What was fetched for an issuer of the same name from the same place; nil if nothing was.
    private func fetched(for settings: AuthSettings.Issuer) -> FetchedKeys? {
        guard case .url(let keys) = source, case .url(let url, let query) = settings.keys,
            issuer.issuer.hasSameBytes(as: settings.issuer), keys.url == url, keys.query == query
        else { return nil }
        return keys
    }

    private static func keys(ofFile path: String) throws -> JSONWebKeySet {
        try JSONWebKeySet(document: try FileContents.bytes(of: path, limit: JSONWebKeySet.maximumSize))
    }

    /// What is wrong with a file of keys; nil if it can be used.
    static func fault(inKeys path: String) -> String? {
        do {
            _ = try keys(ofFile: path)
            return nil
        } catch { return "\(path): \(error)" }
    }

    /// The keys to verify a token of this key id with; nil if the key is not known, and was looked for lately.
    func keys(for keyID: String?) async throws(CallError) -> JSONWebKeySet? {
        switch source {
        case .file(let keys): keys
        case .url(let fetched): try await fetched.keys(for: keyID)
        }
    }
}

extension TokenIssuer {
    fileprivate init(_ settings: AuthSettings.Issuer) {
        self.init(
            issuer: settings.issuer, audience: settings.audience,
            scopes: ScopeClaim(claim: settings.scopesClaim, map: settings.scopesMap?.mapValues { ScopeSet($0) }),
            formsClaim: settings.formsClaim, clockSkew: settings.clockSkew.components.seconds)
    }
}
