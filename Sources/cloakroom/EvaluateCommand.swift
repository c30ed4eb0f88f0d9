import ArgumentParser
import Configuration
import Gateway

/// `cloakroom evaluate`: evaluates submissions offline, one line of JSON each.
struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Evaluates submissions without a server: NDJSON in, NDJSON out.",
        discussion: """
            Each input line is {"form": "<name>" or {…}, "fields": {…}, "extraData": {…}}. Each output line is the response of \
            validate, with the bodies that would be sent. The text of fields is shown only with --reveal. Exit 0 once all lines are \
            answered; with --fail-on-invalid 1 if a line has an error.
            """)

    @Option(help: "The configuration with the forms that input lines may name.")
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp("Sets one value, which overrides the file.", valueName: "key.path=value"))
    var overrides: [String] = []

    @Option(help: "The time to evaluate at, in RFC 3339 format. Default: now.")
    var now: String?

    @Flag(help: "Show submitted text.")
    var reveal = false

    @Flag(help: "Add the description of the form to each line, as GET /v1/forms/{form} returns it.")
    var describe = false

    @Flag(help: "Exit with 1 if a line has an error: it is no submission, or its form refuses it.")
    var failOnInvalid = false

    func validate() throws { try ConfigurationOptions.requireOverrides(overrides) }

    func run() throws {
        var instant: Int?
        if let now {
            guard let seconds = Instant.seconds(of: now) else {
                throw ValidationError("--now: expected a time such as 2026-11-21T18:37:05Z")
            }
            guard OfflineEvaluation.isCovered(seconds) else {
                throw ValidationError("--now: no day in all zones: give one from 1582-10-16 to 9999-12-30")
            }
            instant = seconds
        }
        var configuration: Configuration?
        if config != nil || !overrides.isEmpty {
            let loaded = Configuration.load(
                file: config, overrides: overrides.compactMap { Override($0) }, servesRequests: false)
            guard let read = loaded.configuration else {
                for mistake in loaded.mistakes { StandardError.print("\(mistake)") }
                StandardError.print(ConfigurationOptions.count(ofMistakes: loaded.mistakes.count))
                throw ExitCode(2)
            }
            configuration = read
        }
        var evaluation = OfflineEvaluation(
            configuration: configuration, now: instant, reveals: reveal, describes: describe)
        try LineExchange(input: 0, output: 1).run { evaluation.evaluate($0) }
        if failOnInvalid, evaluation.hasRefused { throw ExitCode(1) }
    }
}
