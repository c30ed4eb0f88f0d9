import FormSchema

extension Configuration {
    /// Keys that are read and checked but have no effect in this version, as mistakes. A limit or a right that is written down and not
    /// enforced is worse than one that is refused.
    public var unsupportedKeys: [String] {
        var keys: [String] = []
        if !auth.jwt.isEmpty { keys.append("auth.jwt") }
        if vault.guessing != VaultSettings.Guessing() { keys.append("vault.guessing") }
        if vault.remote != nil, forms.contains(where: \.limitsLives) {
            keys.append("tokenization.ttl with a remote vault")
        }
        return keys.map { "\($0): not supported by this version" }
    }
}
