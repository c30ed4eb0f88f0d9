import Foundation
import JSON
import ProcessTesting
import Testing

/// What commands do with the files of an embedded vault, and leave beside them.
@Suite(.waits) struct VaultFileTests {
    private func alias(_ gateway: GatewayProcess) throws -> String {
        let body = #"{"data":[{"value":"a","format":"UUID"}]}"#
        let made = try gateway.vault("POST", "/aliases", body).json()["data"]?.array?.first
        return try #require(made?["aliases"]?.array?.first?.string("alias"))
    }

    private func names(in folder: String, of workspace: Workspace) -> [String] {
        workspace.files(in: folder).map(\.name).filter { !$0.hasPrefix("errors-") }.sorted()
    }

    /// The names of what SQLite keeps beside the database would be taken for that, and those of the log for a part of it.
    @Test func aBackupTakesNoNameOfTheVaultOrItsLog() throws {
        let workspace = try Setting.workspace()
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        let gateway = try GatewayProcess(in: workspace)
        _ = try alias(gateway)
        #expect(try gateway.stop() == .exit(0))
        let before = names(in: "data", of: workspace)
        let taken = [
            "vault.db", "vault.db-wal", "vault.db-shm", "vault.db-journal", "vault.db.lock", "vault.audit.log",
            "vault.audit.log.head", "vault.audit.log.0000000000000099",
        ]
        for name in taken {
            let run = try Command.cloakroom(["backup", workspace.path(of: "data/\(name)")] + options, in: workspace)
            #expect(run.end == .exit(1) && run.errors.contains("the copy cannot be written"), "\(name): \(run.errors)")
            #expect(names(in: "data", of: workspace) == before, "\(name)")
        }
        let verified = try Command.cloakroom(["audit", "verify"] + options, in: workspace)
        #expect(verified.end == .exit(0), "\(verified.output)")
        #expect(try GatewayProcess(in: workspace).stop() == .exit(0))
    }

    /// Past a limit on the size of files, as on a full disk.
    @Test func aBackupThatFailsLeavesNothing() throws {
        let workspace = try Setting.workspace()
        let gateway = try GatewayProcess(in: workspace)
        let items = (0..<20).map { #"{"value":"\#($0) \#(String(repeating: "x", count: 9_000))","format":"UUID"}"# }
        #expect(try gateway.vault("POST", "/aliases", #"{"data":[\#(items.joined(separator: ","))]}"#).status == 201)
        let before = names(in: ".", of: workspace)
        let run = try Command(
            "/usr/bin/prlimit",
            ["--fsize=100000", Place.binary, "backup", workspace.path(of: "copy.db")]
                + ["--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(run.end == .exit(1) && run.errors.contains("the copy cannot be written"), "\(run.errors)")
        #expect(names(in: ".", of: workspace) == before)
        #expect(try gateway.stop() == .exit(0))
    }

    /// Files that a command makes beside a database which it may only read could not be written later either.
    @Test func aVaultThatWasReadOnlyIsServedAgain() throws {
        let workspace = try Setting.workspace()
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        let gateway = try GatewayProcess(in: workspace)
        let alias = try alias(gateway)
        #expect(try gateway.stop() == .exit(0))
        let before = names(in: "data", of: workspace)
        let database = workspace.path(of: "data/vault.db")
        #expect(chmod(database, 0o400) == 0)
        // Root may write it unless it gives that right up.
        let starter =
            geteuid() == 0 ? ["/usr/bin/setpriv", "--inh-caps=-dac_override", "--bounding-set=-dac_override"] : []
        for arguments in [["keys", "status"], ["backup", workspace.path(of: "copy.db")], ["audit", "verify"]] {
            let command = starter + [Place.binary] + arguments + options
            let run = try Command(command[0], Array(command.dropFirst()), in: workspace)
            #expect(run.end == .exit(1) && run.errors.contains("Permission denied"), "\(arguments): \(run.errors)")
            #expect(names(in: "data", of: workspace) == before, "\(arguments)")
        }
        #expect(chmod(database, 0o600) == 0)
        let again = try GatewayProcess(in: workspace, starter: starter)
        #expect(try again.vault("GET", "/aliases/\(alias)").status == 200)
        #expect(try again.stop() == .exit(0))
    }
}
