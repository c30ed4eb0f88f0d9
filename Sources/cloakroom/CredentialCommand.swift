import Access
import ArgumentParser
import Configuration
import Gateway
import Glibc

/// `cloakroom credential`: creates the salted hash that a configuration contains instead of a secret.
struct CredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential", abstract: "Creates the salted hash of a secret.",
        discussion: """
            Reads the secret from stdin, one line, as {file: …} is read. At a terminal, or if stdin is empty, it creates a secret of \
            256 random bits and prints it before the hash. Put the hash into the configuration: secret: {hash: "…"}.
            """)

    func run() throws {
        let line = isatty(STDIN_FILENO) == 1 ? nil : readLine(strippingNewline: true)
        guard let line else {
            let secret = RandomSecret.make()
            try StandardOutput.print("secret: \(secret)")
            return try printHash(of: secret)
        }
        let given = SecretText.secret(in: line)
        let isText = !given.unicodeScalars.contains("\u{FFFD}")
        if let fault = isText ? SecretText.fault(of: given) : "the secret is not UTF-8: no request could present it" {
            StandardError.print("cloakroom: \(fault)")
            throw ExitCode(1)
        }
        if given.count < 16 {
            StandardError.print(
                "warning: the secret has fewer than 16 characters; who has the hash may find it by trying")
        }
        try printHash(of: given)
        // Behind the hash: a program that waits for it may keep its end open.
        if readLine() != nil { StandardError.print("warning: only the first line was read") }
    }

    private func printHash(of secret: String) throws {
        do { try StandardOutput.print("hash: \(try SaltedHash(of: secret))") } catch {
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
    }
}
