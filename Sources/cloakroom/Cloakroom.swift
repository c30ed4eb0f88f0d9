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
            AuditCommand.self, BackupCommand.self,
        ])

    /// What a command exits with when it was called wrongly (design, section 5).
    static let badUsage = ExitCode(2)

    static func main() async {
        // Whatever the command: each of them handles values of cards, or keys.
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
            exit(withError: error)
        }
    }
}
