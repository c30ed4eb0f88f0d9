/// One entry of `credentials`: what proves it, and what it may do (`docs/reference/access.md` section 1).
///
/// A class: each request looks its credential up, and retains one reference instead of one for each member.
public final class Credential: Sendable {
    /// One secret of a credential.
    public enum Secret: Sendable {
        /// Known in clear, from a file or the environment.
        case text(PresentedSecret)
        case hash(SaltedHash)
    }

    /// What logs call it.
    public let name: String
    /// The user of HTTP Basic and the client of the token endpoint.
    public let username: String
    /// One or two, so that one can be changed without a gap; none if only a certificate proves it.
    public let secrets: [Secret]
    /// A name of the client's certificate: a common name of its subject, or one of its alternative names.
    public let clientCertificate: String?
    /// What it may do.
    public let permissions: Permissions

    /// A credential of the configuration.
    public init(
        name: String, username: String, secrets: [Secret], clientCertificate: String? = nil,
        permissions: Permissions
    ) {
        self.name = name
        self.username = username
        self.secrets = secrets
        self.clientCertificate = clientCertificate
        self.permissions = permissions
    }
}
