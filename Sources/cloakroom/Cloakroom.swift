import ArgumentParser

/// The command line of the gateway.
@main
struct Cloakroom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cloakroom")
}
