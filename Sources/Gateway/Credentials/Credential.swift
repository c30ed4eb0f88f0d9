import Configuration

/// An authenticated caller.
struct Credential: Sendable {
    /// As the configuration names it; also used in logs.
    let name: String
    let scopes: Set<CredentialSettings.Scope>
}
