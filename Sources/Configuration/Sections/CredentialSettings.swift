public import Access
import FormSchema
import Sensitive

/// One entry of `credentials`: a caller, how it proves itself, and what it may do (docs/reference/access.md section 1).
public struct CredentialSettings: Sendable, Equatable {
    /// What logs call it.
    public let name: String
    /// The user of HTTP Basic, and the client of the token endpoint.
    public let username: String
    /// The passwords of HTTP Basic, and alone the tokens of Bearer: one, or two while one is replaced by the other; none if only
    /// a certificate proves it.
    public let secrets: [ConfiguredSecret]
    /// A name of the client's certificate: a common name of its subject, or one of its alternative names.
    public var clientCertificate: String?
    /// What it may do.
    public let scopes: Set<Scope>
    /// Forms that it may use.
    public var forms = NameSet.all
    /// Reveal routes that it may use.
    public var routes = NameSet.all
    /// It reveals, changes and deletes only values with one of these classifiers; nil: all.
    public var classifiers: [String]?
    /// Unix seconds from which on it is refused; nil: never.
    public var expires: Int?
    /// Networks that its requests must come from; nil: anywhere.
    public var addresses: [Network]?
    /// Requests a minute; nil: no limit of its own.
    public var rateLimit: Int?

    /// A credential without limits.
    public init(
        name: String, username: String, secrets: [ConfiguredSecret], clientCertificate: String? = nil,
        scopes: Set<Scope>
    ) {
        self.name = name
        self.username = username
        self.secrets = secrets
        self.clientCertificate = clientCertificate
        self.scopes = scopes
    }

    /// The secret of the development default, which everybody knows.
    static let developmentSecret = "dev-secret"

    /// The credential of the development default: `dev:dev-secret`, with all scopes.
    static let development = CredentialSettings(
        name: "dev", username: "dev", secrets: [.text(SensitiveText(developmentSecret))],
        scopes: Set(Scope.allCases))
}

extension ConfigurationScope {
    private static let credentialKeys = [
        "name", "username", "secret", "secrets", "clientCertificate", "scopes", "forms", "routes", "classifiers",
        "expires", "addresses", "rateLimit",
    ]

    func credentials(_ reader: DocumentReader) -> [CredentialSettings] {
        var taken = TakenNames()
        return (reader.list() ?? []).compactMap { entry in
            entry.map(keys: Self.credentialKeys).flatMap { credential($0, &taken) }
        }
    }

    /// What may be given once among all credentials.
    private struct TakenNames {
        var names: Set<String> = []
        var usernames: Set<String> = []
        var certificates: Set<String> = []
        var secrets: Set<[UInt8]> = []
    }

    private func credential(_ map: MapReader, _ taken: inout TakenNames) -> CredentialSettings? {
        let name = map.required("name").flatMap { credentialName($0, taken: &taken.names) }
        let username = map["username"].map { credentialName($0, taken: &taken.usernames) }
        if username == nil, let name, !taken.usernames.insert(name).inserted {
            map.whole.mistake("the username \(name) is taken")
        }
        let certificate = map["clientCertificate"].flatMap { certificateName($0, taken: &taken.certificates) }
        let development = CredentialSettings.development
        let isOfDevelopment = name == development.name || username == development.username
        let secrets = secrets(map, isOfDevelopment: isOfDevelopment, &taken.secrets)
        let scopes = map.required("scopes")?.list()?.compactMap { $0.choice(Scope.self) }
        var limits = CredentialSettings(name: "", username: "", secrets: [], scopes: [])
        readLimits(map, into: &limits)
        guard let name, let username = username ?? name, !secrets.isEmpty || certificate != nil, let scopes else {
            return nil
        }
        var credential = CredentialSettings(
            name: name, username: username, secrets: secrets, clientCertificate: certificate, scopes: Set(scopes))
        credential.forms = limits.forms
        credential.routes = limits.routes
        credential.classifiers = limits.classifiers
        credential.expires = limits.expires
        credential.addresses = limits.addresses
        credential.rateLimit = limits.rateLimit
        return credential
    }

    private func readLimits(_ map: MapReader, into credential: inout CredentialSettings) {
        if let forms = map["forms"] { credential.forms = forms.nameSet() }
        if let routes = map["routes"] { credential.routes = routes.nameSet() }
        credential.classifiers = map["classifiers"]?.anyClassifiers()
        credential.addresses = map["addresses"]?.networks()
        credential.rateLimit = map["rateLimit"]?.int(in: 1...100_000_000)
        credential.expires = map["expires"].flatMap(expiry)
    }

    /// `secret`, or one or two `secrets`.
    private func secrets(_ map: MapReader, isOfDevelopment: Bool, _ taken: inout Set<[UInt8]>) -> [ConfiguredSecret] {
        var readers: [DocumentReader] = []
        switch (map["secret"], map["secrets"]) {
        case (_?, let list?): list.mistake("give only one of secret and secrets")
        case (let one?, nil): readers = [one]
        case (nil, let list?):
            readers = list.list() ?? []
            if case .list = list.node.content, !(1...2).contains(readers.count) {
                list.mistake("give one secret, or two while one replaces the other")
            }
        case (nil, nil): if map["clientCertificate"] == nil { _ = map.required("secret") }
        }
        return readers.compactMap { reader in
            guard let secret = secret(reader) else { return nil }
            note(CredentialSecret(secret: secret, isOfDevelopment: isOfDevelopment, reader: reader))
            if case .text(let text) = secret, !taken.insert(Array(text.exposed.utf8)).inserted {
                reader.warning(
                    "the same secret was given before: as a Bearer token it means the credential that has it first")
            }
            return secret
        }
    }

    /// Unix seconds.
    private func expiry(_ reader: DocumentReader) -> Int? {
        guard let text = reader.text() else { return nil }
        guard let expiry = Instant.expiry(of: text) else {
            reader.mistake("expected a date such as 2027-01-31, or an instant such as 2027-01-31T12:00:00Z")
            return nil
        }
        warn(ofExpiry: Int64(expiry), of: "the credential", at: reader)
        return expiry
    }

    private func certificateName(_ reader: DocumentReader, taken: inout Set<String>) -> String? {
        guard let name = reader.text() else { return nil }
        guard (1...320).contains(name.utf8.count) else {
            reader.mistake("expected a name of a certificate")
            return nil
        }
        if !taken.insert(name).inserted { reader.mistake("given twice") }
        noteClientCertificate(reader)
        return name
    }

    /// A name that fits the user part of HTTP Basic, which ends at the first colon (RFC 7617 section 2).
    private func credentialName(_ reader: DocumentReader, taken: inout Set<String>) -> String? {
        guard let name = reader.text() else { return nil }
        let isName = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        guard (1...128).contains(name.utf8.count), isName else {
            reader.mistake("must be 1 to 128 visible ASCII characters without a colon")
            return nil
        }
        if !taken.insert(name).inserted { reader.mistake("given twice") }
        return name
    }
}
