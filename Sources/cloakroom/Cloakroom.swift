import ArgumentParser
import Gateway
import Glibc

/// The command line of the gateway.
@main
struct Cloakroom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloakroom",
        abstract: "A self-hosted gateway for sensitive form data.",
        subcommands: [
            ServeCommand.self, CheckCommand.self, EvaluateCommand.self, KeysCommand.self, CredentialCommand.self,
            SessionCommand.self, ReloadCommand.self, AuditCommand.self, BackupCommand.self, CompactCommand.self,
            OpenAPICommand.self,
        ])

    // Not ArgumentParser's own `version:`, which is a text that every start would make, and for which it would load libpq.
    @Flag(help: "Show the version, the commit and the versions of the C libraries.")
    var version = false

    func run() throws {
        guard version else { throw CleanExit.helpRequest(self) }
        for line in Build.lines { try StandardOutput.print(line) }
    }

    /// The exit status of a command that was called wrongly.
    static let badUsage = ExitCode(2)

    static func main() async {
        // For every command: each may handle card numbers or keys.
        ProcessHardening.apply()
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch  where exitCode(for: error) == .validationFailure {
            StandardError.print(fullMessage(for: error))
            Glibc.exit(badUsage.rawValue)
        } catch {
            end(error)
        }
    }

    /// Ends the process with an error's status. What was asked for, such as help, goes to stdout, everything else to stderr.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        let message = fullMessage(for: error)
        guard code == .success, !message.isEmpty else {
            if !message.isEmpty { StandardError.print(message) }
            Glibc.exit(code.rawValue)
        }
        do throws(StandardOutput.Failure) { try StandardOutput.print(message) } catch {
            StandardError.print("Error: \(error)")
            Glibc.exit(EXIT_FAILURE)
        }
        Glibc.exit(EXIT_SUCCESS)
    }
}
