import Foundation
import ProcessTesting
import Testing

/// Who cannot listen says where.
@Suite(.waits) struct ListeningTests {
    /// - Parameter free: how many addresses come before the one that is taken.
    @Test(arguments: [("server.listen", 0), ("server.listen", 2), ("admin.listen", 0)])
    func anAddressThatIsTakenIsNamed(_ setting: String, free: Int) throws {
        let holder = try Upstream { _, _ in }
        let taken = "127.0.0.1:\(holder.port)"
        let addresses = try (0..<free).map { _ in "127.0.0.1:\(try Upstream.deserted())" } + [taken]
        let workspace = try Setting.workspace()
        let value = setting == "admin.listen" ? taken : "[\(addresses.map { "\"\($0)\"" }.joined(separator: ", "))]"
        let run = try Command.cloakroom(
            ["serve", "--config", workspace.path(of: "cloakroom.yaml"), "--set", "\(setting)=\(value)"], in: workspace)
        #expect(run.end == .exit(1) && run.output.isEmpty)
        #expect(
            run.errors.contains("cannot listen on \(taken) (\(setting)): bind: Address already in use"), "\(run.errors)"
        )
    }

    @Test func bothListenersCannotHaveOneAddress() throws {
        let address = "127.0.0.1:\(try Upstream.deserted())"
        let workspace = try Setting.workspace()
        let run = try Command.cloakroom(
            [
                "serve", "--config", workspace.path(of: "cloakroom.yaml"), "--set", "admin.listen=\(address)",
                "--set", "server.listen=[\"127.0.0.1:0\", \"\(address)\"]",
            ], in: workspace)
        #expect(run.end == .exit(1) && run.errors.contains("admin.listen: \(address) is one of server.listen"))
    }

    /// The usual 1,024 files would end a server long before its own limit on connections.
    @Test(arguments: [(limit: 1_200, possible: 700), (limit: 900, possible: 540), (limit: 600, possible: 330)])
    func theLimitOfOpenFilesIsRaised(limit: Int, possible: Int) throws {
        let workspace = try Setting.workspace()
        let process = try ChildProcess(
            "/usr/bin/prlimit",
            [
                "--nofile=256:\(limit)", Place.binary, "serve", "--config", workspace.path(of: "cloakroom.yaml"),
                "--set", "server.limits.connections=700",
            ], errors: workspace.path(of: "errors"))
        defer { process.finish() }
        #expect(try process.readLine()?.hasPrefix("listening on ") == true, "\(workspace.read("errors"))")
        let limits = try String(contentsOfFile: "/proc/\(process.pid)/limits", encoding: .utf8)
        let words = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }?.split(separator: " ")
        #expect(words?.dropFirst(3).first == "\(limit)")
        // The log has a writer of its own, which may be behind; by the end it has written all.
        process.signal(SIGTERM)
        #expect(try process.wait() == .exit(0))
        let errors = workspace.read("errors")
        #expect(errors.contains("only \(limit) files may be open") == (possible < 700))
        #expect(errors.contains("enough for \(possible) connections of clients") == (possible < 700), "\(errors)")
    }
}
