import FormSchema
import VaultRemote

/// `vault.remote`: somebody else's vault (reference, vault-api section 7).
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
        guard let map = reader.map(keys: keys), let base = base(map, allowsLoopback: true) else { return nil }
        var remote = RemoteVaultSettings(base: base)
        if let api = map["api"]?.choice(RemoteVault.API.self) { remote.api = api }
        remote.forwardAuthorization = map["forwardAuthorization"]?.bool() ?? (remote.api == .v2)
        if let timeouts = map["timeouts"] { remote.timeouts = self.timeouts(timeouts) }
        if let tls = map["tls"] { remote.tls = self.tls(tls) }
        return remote
    }
}
