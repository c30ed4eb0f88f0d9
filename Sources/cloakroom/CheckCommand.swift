import ArgumentParser
import Configuration
import Gateway

/// `cloakroom check`: prints every mistake of a configuration, or a summary of it.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Prints every mistake of a configuration, or a summary of it.")

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let configuration = try options.load { try StandardOutput.print($0) }
        for line in configuration.formLines { try StandardOutput.print(line) }
        for line in configuration.routeLines { try StandardOutput.print(line) }
    }
}
