import Access
import Configuration
import Sensitive

extension Credential {
    /// A credential of the configuration, whose loader has checked it.
    convenience init(_ settings: CredentialSettings) {
        self.init(
            name: settings.name, username: settings.username, secrets: settings.secrets.map(Secret.init),
            clientCertificate: settings.clientCertificate, permissions: Permissions(settings))
    }
}

extension Credential.Secret {
    fileprivate init(_ secret: ConfiguredSecret) {
        switch secret {
        case .text(let text): self = .text(PresentedSecret(Array(text.exposed.utf8)))
        case .hash(let hash): self = .hash(hash)
        }
    }
}

extension Permissions {
    fileprivate init(_ settings: CredentialSettings) {
        self.init(
            scopes: ScopeSet(settings.scopes), forms: settings.forms, routes: settings.routes,
            classifiers: settings.classifiers, addresses: settings.addresses,
            expiresAt: settings.expires.map(Int64.init))
    }
}
