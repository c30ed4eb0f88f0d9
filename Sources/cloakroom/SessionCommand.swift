import ArgumentParser
import Gateway

/// `cloakroom session`: makes a session from the command line.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Makes a session for a form, for trying out.",
        discussion: """
            Prints the session, to be sent as a Bearer token. In production a backend asks the gateway for it: POST /v1/sessions. \
            Needs the master key; works while the vault is served.
            """)

    @OptionGroup var options: ConfigurationOptions
    @Option(help: "The form that it is for.")
    var form: String
    @Option(
        name: .customLong("operation"), parsing: .singleValue,
        help: "validate, aliases, tokens or send; may be repeated.")
    var operations: [String] = []
    @Option(help: "How long it lasts, at most 24h. Default: 15m.")
    var ttl: String?
    @Option(help: "How many requests it is good for.")
    var maxRequests: Int?
    @Option(help: "The only origin whose pages may use it, such as https://shop.example.")
    var origin: String?
    @Option(name: .customLong("path"), parsing: .singleValue, help: "An upstream path of send; may be repeated.")
    var paths: [String] = []
    @Option(help: "The credential that it stands for. Default: the first with the scope sessions:create.")
    var credential: String?

    func run() async throws {
        let configuration = try options.load()
        var session = SessionCommandRequest(form: form)
        session.operations = operations
        session.ttl = ttl
        session.maxRequests = maxRequests
        session.origin = origin
        session.paths = paths
        session.credential = credential
        do { try StandardOutput.print(try session.token(configuration)) } catch {
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
    }
}
