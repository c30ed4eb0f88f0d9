import ArgumentParser
import Gateway

/// `cloakroom compact`: returns the space of deleted values.
struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Gives the free space of the vault's file back to the file system.",
        discussion: """
            The vault may be in use: requests go on meanwhile. Can be stopped and called again. Deleted values leave the file without it; \
            this only makes the file smaller.
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        try await options.withVault { vault in
            var total = 0
            var progress = ProgressLine("compact")
            try await vault.compact { returned, left in
                total = returned
                progress.show(returned, of: returned + left)
            }
            progress.end()
            try StandardOutput.print("\(total / 1_024) KiB returned to the file system")
        }
    }
}
