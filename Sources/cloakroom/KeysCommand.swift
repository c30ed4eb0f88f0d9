import ArgumentParser
import Gateway

/// `cloakroom keys`: the data keys of a vault. The vault must not be in use: it is opened here.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Shows and changes the data keys of the vault.",
        subcommands: [Status.self, Rotate.self, Rewrap.self])

    /// Lists them.
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the data keys.")
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await KeysCommand.withVault(options) { vault in
                for line in try await vault.keyLines() { print(line) }
            }
        }
    }

    /// Makes a new one for what is written from now on.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a new data key for new values.")
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await KeysCommand.withVault(options) { vault in
                try await vault.rotateKey()
                for line in try await vault.keyLines() { print(line) }
            }
        }
    }

    /// Seals old values again under the active key.
    struct Rewrap: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Seals values of older keys again under the active one. Can be stopped and begun again.")
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await KeysCommand.withVault(options) { vault in
                try await vault.rewrap()
                print("all values are under the active key")
            }
        }
    }

    private static func withVault(
        _ options: ConfigurationOptions, _ work: (OpenVault) async throws -> Void
    ) async throws {
        ProcessHardening.apply()
        let configuration = try options.load()
        do {
            let vault = try await OpenVault(configuration.vault)
            defer { vault.close() }
            try await work(vault)
        } catch {
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
    }
}
