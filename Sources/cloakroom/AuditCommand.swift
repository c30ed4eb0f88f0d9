import ArgumentParser
import AuditLog
import Gateway

/// `cloakroom audit`: the log of everything done with values and keys.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Checks the audit log.", subcommands: [Verify.self])

    /// Checks every line against the hash chain.
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Finds lines that were changed, removed or moved, in all files of the log.",
            discussion: "The vault may be in use. Exit 0 if the log is whole, 1 if not.")

        @OptionGroup var options: ConfigurationOptions
        @Option(help: "Number of the first line to expect, if older files of the log are stored elsewhere.")
        var from = 1

        func validate() throws {
            // As many digits as the names of set aside files have.
            guard 1...9_999_999_999_999_999 ~= from else {
                throw ValidationError("--from: lines count from 1, to 9999999999999999")
            }
        }

        func run() throws {
            let configuration = try options.load()
            let verification: AuditVerification
            var progress = ProgressLine("audit verify")
            do {
                verification = try AuditVerification.run(configuration, first: from) { progress.show($0, of: $1) }
            } catch {
                StandardError.print("cloakroom: \(error)")
                throw ExitCode(1)
            }
            progress.end()
            for finding in verification.findings { try StandardOutput.print(finding) }
            for note in verification.notes { try StandardOutput.print(note) }
            try StandardOutput.print(verification.summary)
            guard verification.findings.isEmpty else { throw ExitCode(1) }
        }
    }
}
