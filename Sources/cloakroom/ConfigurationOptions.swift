import ArgumentParser
import Configuration
import Gateway
import Glibc

/// How every command is told its configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file. Default: config/cloakroom.yaml, if it is there.")
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp("Sets one value, beating the file.", valueName: "key.path=value"))
    var overrides: [String] = []

    private static let usualFile = "config/cloakroom.yaml"

    func validate() throws {
        for text in overrides where Override(text) == nil {
            throw ValidationError("--set \(text.prefix { $0 != "=" }): expected key.path=value")
        }
    }

    /// Path of the file to read; nil for the development default alone.
    var file: String? { config ?? (Self.isFree(Self.usualFile) ? nil : Self.usualFile) }

    /// Whether nothing has that name. Whatever has it was meant to be read: a file of somebody else's or a link to nothing
    /// must not start the development default, with a credential that everybody knows.
    private static func isFree(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && [ENOENT, ENOTDIR].contains(errno)
    }

    /// Reads the configuration. Warnings go to stderr; with any mistake the command ends with status 1.
    /// - Parameter report: where mistakes go; stderr unless they are what the command was asked for.
    func load(report: (String) -> Void = StandardError.print) throws -> Configuration {
        let loaded = Configuration.load(file: file, overrides: overrides.compactMap { Override($0) })
        for warning in loaded.warnings { StandardError.print("warning: \(warning)") }
        for mistake in loaded.mistakes { report("\(mistake)") }
        guard let configuration = loaded.configuration else {
            let count = loaded.mistakes.count
            report("\(count) \(count == 1 ? "mistake" : "mistakes") in the configuration")
            throw ExitCode(1)
        }
        return configuration
    }
}
