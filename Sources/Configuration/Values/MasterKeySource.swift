/// Where the key that wraps all others comes from.
public enum MasterKeySource: Sendable, Hashable {
    /// A file; with `generate` it is made together with a new vault.
    case file(path: String, generate: Bool)
    /// A variable of the environment.
    case environment(variable: String)

    /// Path of the file; nil for a variable, which cannot change while the process runs.
    var file: String? {
        if case .file(let path, _) = self { path } else { nil }
    }
}
