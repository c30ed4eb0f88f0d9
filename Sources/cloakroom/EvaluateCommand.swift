import ArgumentParser
import Gateway

/// `cloakroom evaluate`: judges submissions offline, one line of JSON each.
struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Judge submissions without a server: NDJSON in, NDJSON out.",
        discussion: """
            A line in is {"form": "<name>" or {…}, "fields": {…}, "extraData": {…}}; a line out is what validate answers, \
            with the outgoing bodies. No submitted text is shown without --reveal.
            """)

    @Option(help: "The configuration whose forms lines may name.")
    var config: String?

    @Option(help: "The instant to judge at, as RFC 3339 writes it. Default: the clock.")
    var now: String?

    @Flag(help: "Show submitted text.")
    var reveal = false

    @Flag(help: "Add the description of the form to each line, as GET /v1/forms/{form} returns it.")
    var describe = false

    func run() throws {
        var instant: Int?
        if let now {
            guard let seconds = Instant.seconds(of: now) else {
                throw ValidationError("--now: not an instant such as 2026-11-21T18:37:05Z")
            }
            instant = seconds
        }
        var configuration: Configuration?
        if let config {
            let loaded = Configuration.load(file: config, servesRequests: false)
            guard let read = loaded.configuration else {
                throw ValidationError(loaded.mistakes.map { "\($0)" }.joined(separator: "\n"))
            }
            configuration = read
        }
        var evaluation = OfflineEvaluation(
            configuration: configuration, now: instant, reveals: reveal, describes: describe)
        try LineExchange(input: 0, output: 1).run { evaluation.answer(to: $0) }
    }
}
