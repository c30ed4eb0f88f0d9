import ArgumentParser
import Configuration
import Gateway
import Glibc

/// The options that name the configuration, of every command.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file. Default: config/cloakroom.yaml, if it exists.")
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp("Sets one value, which overrides the file.", valueName: "key.path=value"))
    var overrides: [String] = []

    private static let defaultFile = "config/cloakroom.yaml"

    func validate() throws { try Self.requireOverrides(overrides) }

    /// Throws if one of the arguments of `--set` is not a key path and a value. Does not show it: it may hold a secret.
    static func requireOverrides(_ overrides: [String]) throws {
        guard let index = overrides.firstIndex(where: { Override($0) == nil }) else { return }
        throw ValidationError("--set, number \(index + 1) of \(overrides.count): expected key.path=value")
    }

    /// Path of the file to read; nil: the development default.
    var file: String? { config ?? (Self.isAbsent(Self.defaultFile) ? nil : Self.defaultFile) }

    /// Whether the path does not exist. A file that can't be read, or a broken link, counts as existing: it must not be ignored and
    /// start the development default, whose credential is public.
    private static func isAbsent(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && [ENOENT, ENOTDIR].contains(errno)
    }

    /// The line below the mistakes.
    static func count(ofMistakes count: Int) -> String {
        "\(count) \(count == 1 ? "mistake" : "mistakes") in the configuration"
    }

    /// Reads the configuration, whatever is wrong with it.
    ///
    /// - Parameter running: what the process runs with, if it reads again.
    func read(running: Configuration? = nil) -> LoadedConfiguration {
        Configuration.load(file: file, overrides: overrides.compactMap { Override($0) }, running: running)
    }

    /// Reads the configuration. Warnings go to stderr; with any mistake the command ends with status 1.
    /// - Parameter report: where mistakes go; stderr unless they are what the command was asked for.
    func load(report: (String) throws -> Void = StandardError.print) throws -> Configuration {
        let loaded = read()
        Self.printWarnings(of: loaded)
        return try configuration(of: loaded, report: report)
    }

    static func printWarnings(of loaded: LoadedConfiguration) {
        for warning in loaded.warnings { StandardError.print("warning: \(warning)") }
    }

    /// What was read, if it is without a mistake.
    func configuration(
        of loaded: LoadedConfiguration, report: (String) throws -> Void = StandardError.print
    ) throws -> Configuration {
        for mistake in loaded.mistakes { try report("\(mistake)") }
        guard let configuration = loaded.configuration else {
            try report(Self.count(ofMistakes: loaded.mistakes.count))
            throw ExitCode(1)
        }
        return configuration
    }
}
