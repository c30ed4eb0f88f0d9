import Access
import Configuration
import Sensitive

extension Credential {
    /// A credential of the configuration, whose loader has checked it.
    convenience init(_ settings: CredentialSettings) {
        self.init(
            name: settings.name, username: settings.username, secrets: settings.secrets.compactMap(Secret.init),
            clientCertificate: settings.clientCertificate, permissions: Permissions(settings))
    }
}

extension Credential.Secret {
    fileprivate init?(_ secret: ConfiguredSecret) {
        switch secret {
        case .text(let text): self = .text(PresentedSecret(Array(text.exposed.utf8)))
        case .hash(let hash):
            guard let hash = SaltedHash(hash.description) else { return nil }
            self = .hash(hash)
        }
    }
}

extension Permissions {
    fileprivate init(_ settings: CredentialSettings) {
        self.init(
            scopes: ScopeSet(settings.scopes), forms: NameSet(settings.forms), routes: NameSet(settings.routes),
            classifiers: settings.classifiers, addresses: settings.addresses.map { [Network]($0) },
            expiresAt: settings.expires.map(Int64.init))
    }
}

extension ScopeSet {
    init(_ scopes: Set<CredentialSettings.Scope>) {
        self.init(known: scopes.map(\.rawValue))
    }
}

extension NameSet {
    /// - Parameter patterns: as the loader has checked them; nil for all names.
    fileprivate init(_ patterns: [String]?) {
        self = patterns.map { .matching($0.compactMap { NamePattern($0) }) } ?? .all
    }
}
