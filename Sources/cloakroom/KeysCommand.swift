import ArgumentParser
import Gateway

/// `cloakroom keys`: the data keys of a vault. If a process serves the vault, that process is called.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Shows and changes the data keys of the vault.",
        subcommands: [Status.self, Rotate.self, Rewrap.self, Master.self])

    /// Lists them.
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the data keys.")
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await options.withVault { vault in
                for line in try await vault.lines() { try StandardOutput.print(line) }
            }
        }
    }

    /// Creates a new data key for new values.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Creates a new data key for new values.")
        @OptionGroup var options: ConfigurationOptions
        @Flag(help: "Create a new key for finding equal values, too; `keys rewrap` then brings all values under it.")
        var fingerprints = false

        func run() async throws {
            try await options.withVault { vault in
                try await vault.rotate(fingerprints: fingerprints)
                let lines: [String]
                do { lines = try await vault.lines() } catch {
                    StandardError.print("cloakroom: the new key was made, but the keys cannot be listed: \(error)")
                    throw ExitCode(1)
                }
                for line in lines { try StandardOutput.print(line) }
            }
        }
    }

    /// Seals old values again under the active key.
    struct Rewrap: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Encrypts what is under older keys under the active one. Can be stopped and resumed.",
            discussion: """
                Values, their fingerprints and stored responses. Exit 0 if nothing is left under an older key, 1 if something is, which is \
                printed.
                """)
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await options.withVault { vault in
                var progress = ProgressLine("rewrap")
                let remains = try await vault.rewrap { progress.show($0, of: $1) }
                progress.end()
                for line in remains { try StandardOutput.print(line) }
                guard remains.isEmpty else { throw ExitCode(1) }
                try StandardOutput.print("all values and stored responses are under the active key")
            }
        }
    }

    /// Wraps all keys under another master key.
    struct Master: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Puts the vault under another master key. No value is touched.",
            discussion: """
                Both keys open the vault until it has been started with the new one: name that in vault.masterKey, restart, and keep \
                the old key until then. Naming the file of the key that is in use gives up a change that was begun.
                """)
        @OptionGroup var options: ConfigurationOptions
        @Option(
            help:
                """
                The file with the new key: 32 bytes, raw, in hexadecimal or in base64; mode 0600. While the vault is served, its whole \
                path: the gateway reads it.
                """)
        var newFile: String

        func run() async throws {
            try await options.withVault { vault in
                let isBeingChanged = try await vault.changeMasterKey(file: newFile)
                try StandardOutput.print(
                    isBeingChanged
                        ? """
                        all keys are wrapped under the master key in \(newFile) too; restart with it, and keep the old one until \
                        that has succeeded
                        """
                        : "all keys are wrapped under the master key in \(newFile) and under no other: that is the one in use"
                )
            }
        }
    }
}
