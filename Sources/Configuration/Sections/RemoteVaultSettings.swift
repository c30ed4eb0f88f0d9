import FormSchema

/// `vault.remote`: a vault that another service runs (docs/reference/vault-api.md section 7).
public struct RemoteVaultSettings: Sendable, Equatable {
    /// Which of the two VGS interfaces is used.
    public enum API: String, Sendable, CaseIterable {
        case v1
        case v2
    }

    /// What the vault's paths are appended to.
    public let base: BaseURL
    /// What `aliases` and sends go through; `tokens` always goes through v1.
    public var api = API.v2
    /// Whether the caller's `Authorization` is sent on to `api`. By default v2 gets it, whose tokens are the vault's own,
    /// and v1 does not; `tokens` never sends it to a v2 vault.
    public var forwardAuthorization = true
    /// Of each exchange.
    public var timeouts = Route.Timeouts()
    /// How the vault is verified.
    public var tls = Route.TLS()
}

extension ConfigurationScope {
    func remoteVault(_ reader: DocumentReader) -> RemoteVaultSettings? {
        let keys = ["url", "api", "forwardAuthorization", "allowPlaintext", "timeouts", "tls"]
        guard let map = reader.map(keys: keys) else { return nil }
        // Everything is read before the result is judged, so that all mistakes are found.
        let base = base(map, allowsLoopback: true)
        let api = map["api"]?.choice(RemoteVaultSettings.API.self) ?? .v2
        let forwards = map["forwardAuthorization"]?.bool() ?? (api == .v2)
        let timeouts = map["timeouts"].map(timeouts) ?? Route.Timeouts()
        let tls = map["tls"].map { self.tls($0) } ?? Route.TLS()
        return base.map {
            RemoteVaultSettings(base: $0, api: api, forwardAuthorization: forwards, timeouts: timeouts, tls: tls)
        }
    }
}
