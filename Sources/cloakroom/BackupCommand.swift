import ArgumentParser
import Gateway

/// `cloakroom backup`: a consistent copy of the vault, even while it is served.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies the vault into a new file, as a consistent snapshot.",
        discussion: """
            The vault may be in use. Until the copy is complete the log beside the vault (-wal) grows by what is written, and what is \
            deleted leaves it after that. The copy is encrypted as the vault is: it needs the same master key, which it does not \
            contain. To restore, stop the gateway, replace the vault's file with the copy, and remove the old files with the \
            suffixes -wal and -shm. (The next start removes them too, but can't distinguish them from those of a copy that was \
            opened before.)
            """)

    @OptionGroup var options: ConfigurationOptions
    @Argument(help: "The file to create; it must not exist.")
    var file: String

    func run() async throws {
        let configuration = try options.load()
        var progress = ProgressLine("backup")
        do {
            try await VaultBackup.run(configuration, to: file) { progress.show($0, of: $1) }
            progress.end()
        } catch {
            progress.end()
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
    }
}
