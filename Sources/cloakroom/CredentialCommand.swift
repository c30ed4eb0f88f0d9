import ArgumentParser
import Configuration
import Gateway
import Glibc

/// `cloakroom credential`: makes the salted hash that a configuration gives in place of a secret.
struct CredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential", abstract: "Makes the salted hash of a secret.",
        discussion: """
            Reads the secret from stdin, one line. At a terminal, or when stdin is empty, a new secret of 256 random bits \
            is made and printed before its hash. Put the hash into the configuration: secret: {hash: "…"}.
            """)

    func run() throws {
        let given = isatty(STDIN_FILENO) == 1 ? nil : readLine(strippingNewline: true)
        let secret: String
        if let given, !given.isEmpty {
            secret = given
        } else {
            secret = RandomSecret.make()
            print("secret: \(secret)")
        }
        do { print("hash: \(try SecretHash(of: secret))") } catch {
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
    }
}
