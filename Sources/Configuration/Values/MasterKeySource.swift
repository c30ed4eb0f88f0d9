/// Where the key that wraps all others comes from.
public enum MasterKeySource: Sendable, Hashable {
    /// A file; with `generate` it is made together with a new vault.
    case file(path: String, generate: Bool)
    /// A variable of the environment.
    case environment(variable: String)
}
