import FormSchema
import VaultRemote

/// `vault.remote`: somebody else's vault (docs/reference/vault-api.md section 7).
struct RemoteVaultSettings: Sendable {
    let base: BaseURL
    /// What `aliases` and sends go through; `tokens` always goes through v1.
    var api = RemoteVault.API.v2
    /// Whether the caller's `Authorization` is sent on to `api`. By default v2 gets it, whose tokens are the vault's own,
    /// and v1 does not; `tokens` never sends it to a v2 vault.
    var forwardAuthorization = true
    var timeouts = Route.Timeouts()
    var tls = Route.TLS()
}

extension ConfigurationScope {
    func remoteVault(_ reader: DocumentReader) -> RemoteVaultSettings? {
        let keys = ["url", "api", "forwardAuthorization", "allowPlaintext", "timeouts", "tls"]
        guard let map = reader.map(keys: keys) else { return nil }
        // All of it is read, so that all mistakes are found.
        let base = base(map, allowsLoopback: true)
        let api = map["api"]?.choice(RemoteVault.API.self) ?? .v2
        let forwards = map["forwardAuthorization"]?.bool() ?? (api == .v2)
        let timeouts = map["timeouts"].map(timeouts) ?? Route.Timeouts()
        let tls = map["tls"].map { self.tls($0) } ?? Route.TLS()
        return base.map {
            RemoteVaultSettings(base: $0, api: api, forwardAuthorization: forwards, timeouts: timeouts, tls: tls)
        }
    }
}
