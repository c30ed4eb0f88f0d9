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
}
