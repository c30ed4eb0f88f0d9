import FormSchema

extension Configuration {
    /// Keys that are read and checked but have no effect in this version, as mistakes. A limit or a right that is written down and not
    /// enforced is worse than one that is refused.
    public var unsupportedKeys: [String] {
        var keys: [String] = []
        for credential in credentials {
            let own: [(String, Bool)] = [
                ("forms", credential.forms != nil), ("routes", credential.routes != nil),
                ("classifiers", credential.classifiers != nil), ("expires", credential.expires != nil),
                ("addresses", credential.addresses != nil), ("rateLimit", credential.rateLimit != nil),
            ]
            keys += own.filter(\.1).map { "credentials: \(credential.name): \($0.0)" }
        }
        if !auth.jwt.isEmpty { keys.append("auth.jwt") }
        if !server.trustedProxies.isEmpty { keys.append("server.trustedProxies") }
        if server.proxyProtocol { keys.append("server.proxyProtocol") }
        if vault.guessing != VaultSettings.Guessing() { keys.append("vault.guessing") }
        if vault.remote != nil, forms.contains(where: \.limitsLives) {
            keys.append("tokenization.ttl with a remote vault")
        }
        return keys.map { "\($0): not supported by this version" }
    }
}
