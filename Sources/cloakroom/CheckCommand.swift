import ArgumentParser
import Configuration
import Gateway

/// `cloakroom check`: prints every mistake of a configuration, or a summary of it.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Prints every mistake of a configuration, or a summary of it.",
        discussion: """
            Exit 0 if the configuration is good, 1 if not. With --format json: one object with isValid, mistakes and warnings \
            (file, line, path, message), forms and routes.
            """)

    /// How the result is printed.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
    }

    @OptionGroup var options: ConfigurationOptions
    @Option(help: "How the result is printed.")
    var format = Format.text

    func run() throws {
        guard format == .text else { return try report() }
        let configuration = try options.load { try StandardOutput.print($0) }
        for line in configuration.formLines { try StandardOutput.print(line) }
        for line in configuration.routeLines { try StandardOutput.print(line) }
    }

    private func report() throws {
        let loaded = options.read()
        try StandardOutput.write(loaded.report + [UInt8(ascii: "\n")])
        if !loaded.isValid { throw ExitCode(1) }
    }
}
