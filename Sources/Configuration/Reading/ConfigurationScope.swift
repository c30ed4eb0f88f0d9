import FormSchema

/// What is needed to read one configuration file besides the file's tree: the folder that its relative paths start at, the
/// values that came from the command line, and what other modules check. It collects what can only be judged at the end.
final class ConfigurationScope {
    /// Folder of the file; relative paths in it start there.
    private let folder: String
    private let overrides: [Override]
    /// Whether certificates and keys are going to be used, and so must be usable.
    let opensFiles: Bool
    /// What other modules know.
    let dependencies: LoaderDependencies
    /// Secrets that stand in the configuration itself, to be judged once the listen addresses are known.
    private(set) var inlineSecrets: [DocumentReader] = []

    /// Credentials that a certificate proves, to be judged once it is known whether clients are asked for one.
    private(set) var clientCertificates: [DocumentReader] = []

    /// A section with listeners.
    enum Listeners { case server, admin }

    /// Sections whose listeners may be without TLS where others can connect.
    private(set) var plaintextListeners: Set<Listeners> = []

    /// A secret of a credential, with what it was read from.
    struct CredentialSecret {
        let secret: ConfiguredSecret
        /// Whether the credential has the name of the development credential.
        let isOfDevelopment: Bool
        let reader: DocumentReader
    }

    /// Secrets of credentials, to be judged once the listen addresses are known.
    private(set) var credentialSecrets: [CredentialSecret] = []

    /// Whether clients are asked for a certificate, even if there is a mistake in what is given for it.
    var namesClientAuthority = false

    /// Whether VOLATILE values get aliases of formats that have few, or UUIDs instead.
    var makesNarrowVolatiles = true

    /// Every route that has a name and a kind, even if something else is wrong with it: that is no mistake of a form that names
    /// the route.
    private(set) var routeKinds: [String: RouteKind] = [:]

    /// What a process runs with that is to go on with this configuration; nil at a start.
    let running: Configuration?

    init(
        folder: String, overrides: [Override], opensFiles: Bool, running: Configuration?,
        dependencies: LoaderDependencies
    ) {
        self.running = running
        self.dependencies = dependencies
        self.folder = folder
        self.overrides = overrides
        self.opensFiles = opensFiles
    }

    /// Hashes of files that the configuration names and that may change under their names, such as certificates.
    private(set) var fileHashes: [String: Int] = [:]

    func noteFile(_ path: String) {
        if opensFiles, let hash = FileContents.hash(of: path) { fileHashes[path] = hash }
    }

    func allowPlaintext(of listeners: Listeners) { plaintextListeners.insert(listeners) }

    func note(_ secret: CredentialSecret) { credentialSecrets.append(secret) }

    /// Reveal routes that look for aliases by their shape, each with what it was read from, to be judged once the forms are known.
    private(set) var shapeReveals: [DocumentReader] = []

    func noteShapeReveal(_ reader: DocumentReader) { shapeReveals.append(reader) }

    func noteInlineSecret(_ reader: DocumentReader) { inlineSecrets.append(reader) }

    func noteClientCertificate(_ reader: DocumentReader) { clientCertificates.append(reader) }

    func noteRoute(_ name: String, _ kind: RouteKind) { routeKinds[name] = kind }

    /// Whether the value at `path` was given by the command line, itself or with something around it.
    func isOverridden(_ path: String) -> Bool {
        overrides.contains { override in
            let given = override.path.description
            guard path.hasPrefix(given) else { return false }
            let next = path.dropFirst(given.count).first
            return next == nil || next == "." || next == "["
        }
    }

    /// A path as the process sees it: relative ones start at the file that names them, those of the command line at
    /// the current folder.
    func path(_ reader: DocumentReader) -> String? {
        guard let text = reader.text() else { return nil }
        guard !text.isEmpty, !text.utf8.contains(0) else {
            reader.mistake("expected a path")
            return nil
        }
        return isOverridden(reader.path) ? text : FilePath.join(folder, text)
    }

    /// A default path, relative to the file's folder like the paths in it.
    func defaultPath(_ path: String) -> String { FilePath.join(folder, path) }

    /// The path of a file that must be there.
    func existingFile(_ reader: DocumentReader) -> String? {
        guard let path = path(reader) else { return nil }
        // Forms are checked on machines that do not have the server's files.
        guard opensFiles else { return path }
        guard let fault = FilePath.fault(inFile: path) else { return path }
        reader.mistake("\(path): \(fault)")
        return nil
    }
}
