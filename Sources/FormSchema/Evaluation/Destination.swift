/// Where an evaluated form is sent, which decides which values may be in it.
public enum Destination: Sendable {
    /// Raw, to a VGS tenant, which redacts itself.
    case vgs
    /// Redacted, to a merchant's server: aliases in place of values (`docs/reference/proxy.md` section 2).
    case upstream
    /// The flat `data` of the response to a client that asked for aliases (`docs/reference/vault-api.md` section 7).
    case client
}
