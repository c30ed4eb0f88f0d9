import ArgumentParser
import Configuration
import Gateway

/// `cloakroom reload`: makes the running gateway read its configuration again, and waits for what comes of it.
struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Makes the running gateway read its configuration again.",
        discussion: """
            Prints the keys that have changed and waits until they are in use. Exits with 1 if the configuration has a mistake: then \
            all of the old one stays in use. Keys that need a restart are named. The gateway reads the file and the --set options \
            that it was started with.
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let loaded = options.read()
        guard let configuration = loaded.configuration ?? loaded.attempted else {
            for mistake in loaded.mistakes { StandardError.print("\(mistake)") }
            throw ExitCode(1)
        }
        let report: ReloadReport
        do { report = try await ServedConfiguration.reload(configuration) } catch {
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
        for mistake in report.mistakes { StandardError.print(mistake) }
        for key in report.taken { try StandardOutput.print("taken: \(key)") }
        for key in report.needsRestart { try StandardOutput.print("needs a restart: \(key)") }
        switch report.outcome {
        case .refused:
            StandardError.print("cloakroom: refused; all of the old configuration stays in use")
            throw ExitCode(1)
        case .taken where report.taken.isEmpty: try StandardOutput.print("nothing has changed")
        case .taken, .partlyNeedsRestart: break
        }
    }
}
