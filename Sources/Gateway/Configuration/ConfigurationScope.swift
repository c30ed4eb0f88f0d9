import FormSchema

/// What the reading of one configuration file needs to know besides the file's tree: where its relative paths start,
/// which values came from the command line, and where secrets stand in the open.
final class ConfigurationScope {
    /// Folder of the file; relative paths in it start there.
    private let folder: String
    private let overrides: [Override]
    /// Whether certificates and keys are going to be used, and so must be what they should be.
    let opensFiles: Bool
    /// Secrets that stand in the configuration itself, to be judged once it is known who can connect.
    private(set) var inlineSecrets: [DocumentReader] = []

    /// Credentials that a certificate proves, to be judged once it is known whether clients show one.
    private(set) var clientCertificates: [DocumentReader] = []

    /// Whether clients are asked for a certificate, right or wrong as what is given for it may be.
    var namesClientAuthority = false

    /// Every route that has a name and a kind, whatever else is wrong with it: a form that names it is not to blame.
    private(set) var routeKinds: [String: RouteKind] = [Route.builtInEcho.name: .echo]

    init(folder: String, overrides: [Override], opensFiles: Bool) {
        self.folder = folder
        self.overrides = overrides
        self.opensFiles = opensFiles
    }

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

    /// A path that nobody wrote, where the file's own would be.
    func usual(_ path: String) -> String { FilePath.join(folder, path) }

    /// The path of a file that must be there.
    func existingFile(_ reader: DocumentReader) -> String? {
        guard let path = path(reader) else { return nil }
        // Forms are judged where the server's files are not.
        guard opensFiles else { return path }
        guard let fault = FilePath.fault(inFile: path) else { return path }
        reader.mistake("\(path): \(fault)")
        return nil
    }
}
