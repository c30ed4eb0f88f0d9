/// The middle part of a UUID alias: `tok_sandbox_…` or `tok_live_…`.
public enum VaultEnvironment: String, CaseIterable, Sendable {
    case sandbox
    case live
}
