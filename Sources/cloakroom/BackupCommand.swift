import ArgumentParser
import Gateway

/// `cloakroom backup`: a consistent copy of the vault, while it is served or not.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies the vault, as it is at one moment, into a new file.",
        discussion: """
            The vault may be in use. The copy is as sealed as the vault: it opens with the same master key, which is not \
            in it. To restore, stop the gateway and put the copy in the vault's place, and remove the old vault's files of the \
            same name with -wal and -shm behind it. (The next start drops them by itself, but cannot tell them from those of a \
            copy that has been opened before.)
            """)

    @OptionGroup var options: ConfigurationOptions
    @Argument(help: "The file to make; it must not be there yet.")
    var file: String

    func run() throws {
        let configuration = try options.load()
        do { try VaultBackup.run(configuration, to: file) } catch {
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
    }
}
