import Configuration

/// Who is calling, once proven.
struct Credential: Sendable {
    /// As the configuration names it; what logs say.
    let name: String
    let scopes: Set<Scope>
}
