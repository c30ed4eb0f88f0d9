import ArgumentParser

/// The command line of the gateway.
@main
struct Cloakroom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloakroom",
        abstract: "A self-hosted gateway for sensitive form data.",
        subcommands: [
            ServeCommand.self, CheckCommand.self, KeysCommand.self, CredentialCommand.self,
        ])
}
