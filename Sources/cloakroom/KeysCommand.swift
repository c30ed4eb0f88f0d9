import ArgumentParser
import Gateway
import Vault

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
                for key in try await vault.keyStatus() {
                    let state = key.isActive ? "active" : "retired"
                    print("key \(key.id) \(state) created \(InstantText.seconds(key.createdAt)) uses \(key.reservedUses)")
                }
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
                if let active = try await vault.keyStatus().first(where: \.isActive) { print("key \(active.id) active") }
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
                var cursor: Int64? = 0
                while let position = cursor { cursor = try await vault.rewrap(after: position) }
                print("all values are under the active key")
            }
        }
    }

    private static func withVault(
        _ options: ConfigurationOptions, _ work: (Vault) async throws -> Void
    ) async throws {
        let configuration = try options.load()
        do {
            let opened = try await OpenVault(configuration.vault)
            try await work(opened.vault)
            opened.store.close()
        } catch {
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
    }
}
