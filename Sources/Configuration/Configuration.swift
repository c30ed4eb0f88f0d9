public import FormSchema

/// The whole configuration of a process, checked; `config/cloakroom.yaml` shows all keys. What is left out has the development
/// default: loopback alone, SQLite under `.data/`, a generated master key, the route `echo` and the credential `dev`.
public struct Configuration: Sendable {
    /// Where clients connect.
    public var server = ServerSettings()
    /// Where health checks and metrics are served.
    public var admin = ListenAddress(host: "127.0.0.1", port: 9080)
    /// The callers that can prove who they are.
    public var credentials = [CredentialSettings.development]
    /// Where values are kept.
    public var vault = VaultSettings()
    /// How long values are stored, by their classifiers.
    public var retention: [RetentionSettings] = []
    /// The record of what was done with values and keys.
    public var audit = AuditSettings()
    /// Identity providers whose tokens are accepted.
    public var auth = AuthSettings()
    /// Whether the browser's files are served under `/elements/v1/`.
    public var servesElements = true
    /// The log on stderr.
    public var log = LogSettings()
    /// The `docs` section.
    public var docs = DocsSettings()
    /// Folder of the form files; nil if none is named and the default one is not there.
    public var formsFolder: String?
    /// The forms, in the order of their files.
    public var forms: [FormSchema] { formFiles.map(\.form) }
    /// The forms with the files that they stand in.
    public var formFiles: [(form: FormSchema, file: String)] = []
    /// The routes, the built-in echo among them.
    public var routes = [Route.builtInEcho]
    /// Hashes of the files of forms, certificates and keys, by path: of this process alone, to see what has changed.
    var fileHashes: [String: Int] = [:]
    /// What the files of a TLS held that stays in use until a restart, though the configuration has none any more.
    var keptServerHashes: [Int?]?
    /// Those of files that keys name which need a restart, as they were at the start.
    var keptHashes: [String: Int] = [:]
    /// What forms were checked against, to check them the same way when they are read again.
    public var formContext: FormContext

    /// A line a form, `form <id> <fields> <route>`, with a table of its fields under it.
    public var formLines: [String] {
        forms.flatMap { form in
            let count = form.fieldNames.count
            let heading = "form \(form.form) \(count) \(count == 1 ? "field" : "fields") \(form.route ?? "-")"
            return [heading] + form.tableLines
        }
    }

    /// One line a route: `route <name> <kind> <base URL>`.
    public var routeLines: [String] {
        routes.map { "route \($0.name) \($0.kind.rawValue) \($0.baseDescription)" }
    }

    /// Everything that is listened on.
    public var listenAddresses: [ListenAddress] { server.listen + [admin] }

    /// Whether the API's description is served. It names every form and field, so strangers get it only on request.
    public var servesDocs: Bool { docs.isEnabled ?? listenAddresses.allSatisfy { $0.isLoopback } }
}

/// The result of reading a configuration.
public struct LoadedConfiguration {
    /// Nil if there are mistakes.
    public let configuration: Configuration?
    /// What was read in spite of mistakes: good for finding the process that runs with it, and for nothing else.
    public var attempted: Configuration?
    /// Everything that is wrong, in the order in which it was found.
    public let mistakes: [Mistake]
    /// Everything that is probably not meant.
    public let warnings: [Mistake]
}
