import ArgumentParser
import Configuration
import Gateway
import Glibc

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
            throw Self.signal(loaded.mistakes.map { "\($0)" })
        }
        let report: ReloadReport
        do { report = try await ServedConfiguration.reload(configuration) } catch {
            throw Self.signal(loaded.mistakes.map { "\($0)" } + ["cloakroom: \(error)"])
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

    /// What is in the file does not lead to the running gateway: it cannot be read, or names another vault, key or listener than those that
    /// are in use. A signal needs none of it. systemd says which process it is; from there on the gateway's own log, metrics and
    /// `/health/ready` say what comes of it.
    private static func signal(_ reasons: [String]) -> ExitCode {
        for reason in reasons { StandardError.print(reason) }
        if let process = getenv("MAINPID").flatMap({ pid_t(String(cString: $0)) }), process > 1,
            kill(process, SIGHUP) == 0
        {
            StandardError.print(
                "cloakroom: asked process \(process) by SIGHUP to read it: its log and /health/ready say what comes of it"
            )
        } else {
            StandardError.print(
                """
                cloakroom: the running gateway was not asked, and does not report this. If it runs with another vault or master \
                key, these need a restart; SIGHUP makes it read all of the file and say so
                """)
        }
        return ExitCode(1)
    }
}
