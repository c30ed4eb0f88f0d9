import FormSchema

extension Configuration {
    /// Reads a configuration with all its forms, and finds every mistake there is.
    ///
    /// - Parameters:
    ///   - file: its path; nil for the development default alone.
    ///   - overrides: what the command line sets; later ones win.
    ///   - servesRequests: false where forms are only evaluated: limits of requests do not apply, and neither certificates nor
    ///     keys are opened.
    ///   - running: what a process runs with that is to go on with this one. Its environment and listeners stay until it is started again,
    ///     so that the rest must be good enough for them, too.
    ///   - dependencies: what modules above this one know.
    public static func load(
        file: String?, overrides: [Override] = [], servesRequests: Bool = true, running: Configuration? = nil,
        with dependencies: LoaderDependencies
    ) -> LoadedConfiguration {
        let log = MistakeLog(file: file ?? "development default")
        var root = Document.Node(.map([]))
        if let file {
            guard let document = DocumentFile.read(file, log: log) else {
                return LoadedConfiguration(configuration: nil, mistakes: log.mistakes, warnings: log.warnings)
            }
            root = document.root
        }
        for override in overrides { root = override.applied(to: root, log: log) }
        let folder = file.map(FilePath.folder) ?? "."
        let scope = ConfigurationScope(
            folder: folder, overrides: overrides, opensFiles: servesRequests, running: running,
            dependencies: dependencies)
        let reader = DocumentReader(
            Document(file: log.file, root: root.withoutEmptyEntries(of: ConfigurationScope.keys)), log: log)
        let configuration = scope.configuration(reader, hasFile: file != nil, servesRequests: servesRequests)
        return scope.finish(configuration, log: log)
    }
}

extension ConfigurationScope {
    fileprivate static let keys = [
        "server", "admin", "forms", "credentials", "auth", "vault", "routes", "elements", "audit", "retention", "log",
        "docs",
    ]

    fileprivate func configuration(
        _ reader: DocumentReader, hasFile: Bool, servesRequests: Bool
    ) -> Configuration {
        let map = reader.map(keys: Self.keys)
        let server = map?["server"].map(server) ?? ServerSettings()
        let vault = map?["vault"].map(vault) ?? defaultVault(reader.log)
        // The vault that runs goes on with its own.
        let serving = running?.vault ?? vault
        makesNarrowVolatiles = serving.makesNarrowVolatiles
        noteRoute(Route.builtInEcho.name, .echo)
        let routes = routes(map?["routes"])
        let context = FormContext(
            dependencies: dependencies, routes: routeKinds,
            aliasFallback: serving.aliasFallback, maxItems: vault.maxItems,
            bodyLimit: servesRequests ? server.limits.body : nil, patternMatch: server.limits.patternMatch,
            demandsAccess: isLive(vault), closesUnnamedAccess: serving.environment == .live,
            isVaultRemote: vault.remote != nil || running?.vault.remote != nil,
            makesNarrowVolatiles: makesNarrowVolatiles,
            compressedRoutes: Set(routes.filter(\.leavesCompressed).map(\.name)))
        var configuration = Configuration(formContext: context)
        configuration.server = server
        configuration.vault = vault
        configuration.routes = routes
        if let address = map?["admin"].flatMap(admin) { configuration.admin = address }
        if configuration.admin.port != 0, server.listen.contains(where: configuration.admin.overlaps) {
            reader.log.mistake(
                "\(configuration.admin) is one of server.listen", at: "admin.listen", line: map?["admin"]?.line)
        }
        if let credentials = map?["credentials"].map(credentials) { configuration.credentials = credentials }
        if let auth = map?["auth"].map(auth) { configuration.auth = auth }
        if let enabled = map?["elements"]?.map(keys: ["enabled"])?["enabled"]?.bool() {
            configuration.servesElements = enabled
        }
        if let log = map?["log"].map(log) { configuration.log = log }
        configuration.docs = map?["docs"].map(docs) ?? DocsSettings()
        if let audit = map?["audit"].map(audit) { configuration.audit = audit }
        if let reader = map?["retention"] { configuration.retention = retention(reader, vault: vault) }
        requireOwnFile(of: configuration.audit, beside: vault) {
            reader.log.mistake($0, at: "audit.file", line: map?["audit"]?.entry("file")?.line)
        }
        configuration.formsFolder = formsFolder(map?["forms"], hasFile: hasFile)
        if context.isVaultRemote, routes.contains(where: { $0.kind == .reveal }) {
            let reason = "a reveal route needs a vault of this gateway"
            reader.log.mistake(
                vault.remote == nil ? reason + ", and the one that runs is remote: restart it" : reason,
                at: "vault.store", line: nil)
        }
        judgeSecrets(configuration, credentials: map?["credentials"], log: reader.log)
        judgeListeners(configuration, server: map?["server"], admin: map?["admin"])
        return configuration
    }

    /// Without `forms`, the folder that the example configuration has beside it, if it is there.
    private func formsFolder(_ reader: DocumentReader?, hasFile: Bool) -> String? {
        if let reader {
            guard let path = path(reader) else { return nil }
            if !FilePath.isFolder(path) { reader.mistake("\(path): no such folder") }
            return FilePath.isFolder(path) ? path : nil
        }
        let folder = defaultPath(hasFile ? "forms" : "config/forms")
        return FilePath.isFolder(folder) ? folder : nil
    }

    fileprivate func finish(_ read: Configuration, log: MistakeLog) -> LoadedConfiguration {
        var configuration = read
        configuration.fileHashes = fileHashes
        var mistakes = log.mistakes.map(attributed)
        var warnings = log.warnings.map(attributed)
        if let folder = read.formsFolder {
            let forms = FormFolder(folder, context: read.formContext)
            configuration.formFiles = forms.forms
            configuration.fileHashes.merge(forms.hashes) { $1 }
            mistakes += forms.mistakes
            warnings += forms.warnings + configuration.warnings(of: forms.forms)
        }
        warnings += warningsOfShapes(configuration).map(attributed)
        // A form with a mistake is none.
        if mistakes.isEmpty {
            let file = log.file
            warnings += configuration.warningsOfCredentials(in: file).map(attributed)
            warnings += configuration.warningsOfVolatiles(in: file)
        }
        return LoadedConfiguration(
            configuration: mistakes.isEmpty ? configuration : nil, attempted: configuration, mistakes: mistakes,
            warnings: warnings)
    }

    /// The mistake with its source: the command line, if that gave the value.
    private func attributed(_ mistake: Mistake) -> Mistake {
        guard isOverridden(mistake.path) else { return mistake }
        return Mistake(file: "--set", line: nil, path: mistake.path, message: mistake.message)
    }
}

extension Document.Node {
    /// The top-level map without those of `keys` that have nothing after their colon: such a key counts as left out, unless it is given
    /// twice. Any other key stays, to be reported. An empty file is an empty map.
    fileprivate func withoutEmptyEntries(of keys: [String]) -> Document.Node {
        switch content {
        case .null: return Document.Node(.map([]), line: line)
        case .map(let entries):
            let given = entries.filter { entry in
                guard case .null = entry.node.content, keys.contains(entry.key) else { return true }
                return entries.count { $0.key == entry.key } > 1
            }
            return Document.Node(.map(given), line: line)
        default: return self
        }
    }
}
