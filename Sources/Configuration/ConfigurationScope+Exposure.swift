import Access
import FormSchema
import Sensitive

/// What the rest of the configuration must be where other machines can connect, or values are real (docs/reference/access.md
/// section 1).
extension ConfigurationScope {
    /// The shortest secret that is given in clear.
    private static let leastCharacters = 16
    /// The fewest rounds of a hash.
    private static let leastRounds = 100_000

    /// Secrets may stand in the configuration only in a sandbox whose listeners cannot be reached from other machines.
    func judgeSecrets(_ configuration: Configuration, credentials: DocumentReader?, log: MistakeLog) {
        if !namesClientAuthority {
            for credential in clientCertificates {
                credential.mistake(
                    "clients are not asked for a certificate: give server.tls.clientCA, the authority that signs them")
            }
        }
        let isLive = isLive(configuration.vault)
        let addresses = configuration.listenAddresses + (running?.listenAddresses ?? [])
        let reachable = addresses.first { !$0.isLoopback }
        let reason = reachable.map { "\($0) is not loopback" } ?? (isLive ? "the environment is live" : nil)
        for secret in inlineSecrets {
            if let reason {
                secret.mistake("give it as {file: …}, {env: …} or {hash: …}: \(reason)")
            } else {
                secret.warning("this secret stands in the configuration: for development only")
            }
        }
        let inline = Set(inlineSecrets.map(\.path))
        for secret in credentialSecrets where !inline.contains(secret.reader.path) {
            if let fault = fault(of: secret, isReachable: reachable != nil, isLive: isLive) {
                secret.reader.mistake(fault)
            }
        }
        guard credentials == nil else { return }
        if let reachable {
            log.mistake(
                "missing: the development credential is for loopback alone, and \(reachable) is not",
                at: "credentials", line: nil)
        } else if isLive {
            log.mistake(
                "missing: the development credential is not for the environment live", at: "credentials", line: nil)
        } else {
            log.warning("the development credential dev:dev-secret is in use", at: "credentials", line: nil)
        }
    }

    /// Whether values are real: by this configuration, or by the one that a process runs with, whose vault stays open.
    func isLive(_ vault: VaultSettings) -> Bool {
        vault.environment == .live || running?.vault.environment == .live
    }

    /// What is wrong with a credential's secret that does not stand in the configuration itself.
    private func fault(of secret: CredentialSecret, isReachable: Bool, isLive: Bool) -> String? {
        if isReachable || isLive, isDevelopmentSecret(secret) {
            return "this is the secret of the development credential, which everybody knows"
        }
        switch secret.secret {
        case .text(let text):
            guard isReachable, text.exposed.count < Self.leastCharacters else { return nil }
            return "a secret has at least \(Self.leastCharacters) characters, unless every listener is on loopback"
        case .hash(let hash):
            guard isReachable, hash.iterations < Self.leastRounds else { return nil }
            return
                "a hash has at least 100,000 rounds, unless every listener is on loopback: cloakroom credential makes one"
        }
    }

    /// A hash is only compared where the credential has the development credential's name: that takes a good part of a second.
    private func isDevelopmentSecret(_ secret: CredentialSecret) -> Bool {
        switch secret.secret {
        case .text(let text): text.exposed == CredentialSettings.developmentSecret
        case .hash(let hash):
            secret.isOfDevelopment && opensFiles
                && hash.matches(PresentedSecret(Array(CredentialSettings.developmentSecret.utf8)))
        }
    }

    /// In the environment live nothing is read from other machines in the clear, unless that is allowed.
    func judgeListeners(_ configuration: Configuration, server: DocumentReader?, admin: DocumentReader?) {
        guard configuration.vault.environment == .live else { return }
        let clients = configuration.server.listen.first { !$0.isLoopback }
        if let clients, server?.entry("tls") == nil, !plaintextListeners.contains(.server) {
            (server?.entry("listen") ?? server)?.mistake(
                "\(clients) is not loopback and the environment is live: give server.tls, or server.allowPlaintext: true"
            )
        }
        if !configuration.admin.isLoopback, !plaintextListeners.contains(.admin) {
            (admin?.entry("listen") ?? admin)?.mistake(
                "\(configuration.admin) is not loopback and the environment is live: give admin.allowPlaintext: true")
        }
    }

    /// Warns of reveal routes that look for aliases by their shape, where forms or routes make aliases of other shapes.
    func warningsOfShapes(_ configuration: Configuration) -> [Mistake] {
        guard let log = shapeReveals.first?.log else { return [] }
        var made = Set(configuration.forms.flatMap(\.aliasFormats))
        for route in configuration.routes {
            if case .reveal(_, let rules) = route.target { made.formUnion(rules.redact.map(\.format)) }
        }
        let hidden = dependencies.vault.aliasFormats.filter { made.contains($0.name) && !$0.isUnmistakable }
        guard !hidden.isEmpty else { return [] }
        let names = hidden.map(\.name).joined(separator: ", ")
        return shapeReveals.map { reader in
            Mistake(
                file: log.file, line: reader.line, path: "\(reader.path).reveal.body",
                message:
                    "aliases of the formats \(names) are replaced only at places that JSON pointers name: give a list of them"
            )
        }
    }
}
