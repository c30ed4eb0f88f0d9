import FormSchema
import Sensitive

/// What a credential may do.
public enum Scope: String, Sendable, CaseIterable {
    case createAliases = "aliases:create"
    case revealAliases = "aliases:reveal"
    case updateAliases = "aliases:update"
    case deleteAliases = "aliases:delete"
    case sendForms = "forms:send"
    case sendRoutes = "routes:send"
}

/// One entry of `credentials`: a caller, how it proves itself, and what it may do.
public struct CredentialSettings: Sendable {
    /// What logs call it.
    public let name: String
    /// The user of HTTP Basic.
    public let username: String
    /// The password of HTTP Basic, and alone the token of Bearer; nil if only a certificate proves it.
    public let secret: ConfiguredSecret?
    /// A name of the client's certificate: a common name of its subject, or one of its alternative names.
    public var clientCertificate: String?
    /// What it may do.
    public let scopes: Set<Scope>

    /// The credential of the development default: `dev:dev-secret`, with all scopes.
    static let development = CredentialSettings(
        name: "dev", username: "dev", secret: .text(SensitiveText("dev-secret")), scopes: Set(Scope.allCases))
}

extension ConfigurationScope {
    func credentials(_ reader: DocumentReader) -> [CredentialSettings] {
        var names: Set<String> = []
        var usernames: Set<String> = []
        var certificates: Set<String> = []
        var secrets: Set<[UInt8]> = []
        return (reader.list() ?? []).compactMap { entry in
            guard let map = entry.map(keys: ["name", "username", "secret", "clientCertificate", "scopes"]) else {
                return nil
            }
            let name = map.required("name").flatMap { credentialName($0, taken: &names) }
            let username = map["username"].map { credentialName($0, taken: &usernames) }
            if username == nil, let name, !usernames.insert(name).inserted {
                entry.mistake("the username \(name) is taken")
            }
            let certificate = map["clientCertificate"].flatMap { certificateName($0, taken: &certificates) }
            let secret = (map["clientCertificate"] == nil ? map.required("secret") : map["secret"]).flatMap(self.secret)
            if case .text(let text)? = secret, !secrets.insert(Array(text.exposed.utf8)).inserted {
                map["secret"]?.warning(
                    "another credential has the same secret: as a Bearer token it means the first of them")
            }
            let scopes = map.required("scopes")?.list()?.compactMap { $0.choice(Scope.self) }
            guard let name, let username = username ?? name, secret != nil || certificate != nil, let scopes else {
                return nil
            }
            return CredentialSettings(
                name: name, username: username, secret: secret, clientCertificate: certificate, scopes: Set(scopes))
        }
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
