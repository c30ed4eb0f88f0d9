import Foundation
import ProcessTesting
import Testing

/// A process that is started without its first three files.
@Suite(.waits) struct StandardFilesTests {
    /// What it opens must not get their numbers: log lines would go to the vault, or to a client.
    @Test func nothingGetsTheNumbersOfClosedFiles() throws {
        let workspace = try Setting.workspace()
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                "exec \"$0\" serve --config \"$1\" --set server.listen=127.0.0.1:0 --set admin.listen=127.0.0.1:0 <&- 2>&-",
                Place.binary, workspace.path(of: "cloakroom.yaml"),
            ], errors: "/dev/null")
        #expect(try process.readLine()?.hasPrefix("listening on ") == true)
        for number in [0, 2] {
            let file = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process.pid)/fd/\(number)")
            #expect(file == "/dev/null")
        }
        process.signal(SIGTERM)
        #expect(try process.wait() == .exit(0))
    }

    /// What a command prints is not taken for written where there is nothing to write to; a service needs no output.
    @Test func withoutAnOutput() throws {
        let workspace = try Setting.workspace()
        for command in ["credential", "openapi --config cloakroom.yaml", "--version"] {
            let run = try Command(
                "/bin/sh", ["-c", "cd \"$1\" && exec \"$0\" \(command) >&-", Place.binary, workspace.path(of: ".")],
                in: workspace)
            #expect(run.end == .exit(1), "\(command)")
        }
        let port = FreePort.take()
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                "exec \"$0\" serve --config \"$1\" --set server.listen=127.0.0.1:\(port) --set admin.listen=127.0.0.1:0 >&-",
                Place.binary, workspace.path(of: "cloakroom.yaml"),
            ], errors: "/dev/null")
        try eventually("it listens") { (try? Connection(port: port)) != nil }
        process.signal(SIGTERM)
        #expect(try process.wait() == .exit(0))
    }
}
