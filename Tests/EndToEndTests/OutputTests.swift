import Foundation
import JSON
import ProcessTesting
import Testing

/// What the command line prints, and that nobody takes half of it for the whole.
@Suite(.waits) struct OutputTests {
    /// `/dev/full` refuses every write (`ENOSPC`).
    @Test(arguments: [
        "--version", "--help", "check --help", "--generate-completion-script bash", "check", "check --format json",
        "check --set server.limits.body=lots", "openapi", "credential", "session --form checkout", "keys status",
        "keys rotate", "keys rewrap", "compact", "audit verify", "evaluate", "serve",
    ])
    func aFailedWriteIsAnError(_ command: String) throws {
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let file = workspace.path(of: "cloakroom.yaml")
        // A vault, for those that need one.
        if command.hasPrefix("keys") || ["session", "compact", "audit"].contains(where: command.hasPrefix) {
            _ = try GatewayProcess(in: workspace).stop()
        }
        let isConfigured = !command.hasPrefix("-") && command != "credential" && !command.hasSuffix("help")
        let sessions = "'credentials[0].scopes=[sessions:create, aliases:create]'"
        let more = command.hasPrefix("session") ? " --set \(sessions)" : ""
        let line = "'\(Place.binary)' \(command)\(more)\(isConfigured ? " --config '\(file)'" : "") > /dev/full"
        let run = try Command("/bin/sh", ["-c", line], input: "x\n", in: workspace)
        #expect(run.end == .exit(1), "\(run.errors)")
        #expect(run.errors.contains("No space left on device"), "\(run.errors)")
    }

    @Test func linesThatCannotBeWrittenAreCounted() throws {
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let gateway = try GatewayProcess(in: workspace, starter: ["/bin/sh", "-c", "exec \"$@\" 2> /dev/full", "sh"])
        _ = try gateway.request("GET", "/v1/forms")
        try eventually("what was lost is counted") { try droppedLines(gateway) >= 1 }
    }

    /// A supervisor may hand its own end of a pipe over, which does not block: `write` fails with `EAGAIN` until the reader has caught up.
    @Test func aPipeThatDoesNotBlockGetsEveryLine() throws {
        let starter = """
            import fcntl, os, sys, time
            reading, writing = os.pipe()
            fcntl.fcntl(writing, fcntl.F_SETFL, os.O_NONBLOCK)
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
            if os.fork() == 0:
                os.close(writing)
                while lines := os.read(reading, 512):
                    os.write(2, lines)
                    time.sleep(0.002)
                os._exit(0)
            os.dup2(writing, 2)
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let gateway = try GatewayProcess(in: workspace, starter: ["/usr/bin/python3", "-c", starter])
        let connection = try Connection(port: gateway.port)
        for _ in 0..<200 {
            try connection.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try connection.receive()
        }
        try eventually("every line is there") {
            gateway.log.ranges(of: #""route":"/v1/forms","status":200"#).count == 200
        }
        #expect(try droppedLines(gateway) == 0)
    }

    private func droppedLines(_ gateway: GatewayProcess) throws -> Int {
        let line = try gateway.admin("GET", "/metrics").bodyText.split(separator: "\n")
            .first { $0.hasPrefix("cloakroom_dropped_log_lines_total ") }
        return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }

    @Test func checkAsJSON() throws {
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let arguments = ["check", "--format", "json", "--config", workspace.path(of: "cloakroom.yaml")]
        let good = try Command.cloakroom(arguments, in: workspace)
        #expect(good.end == .exit(0) && good.lines.count == 1)
        let report = try JSONValue(text: good.output)
        #expect(report["isValid"]?.text == "true" && report["mistakes"]?.text == "[]")
        #expect(report["warnings"]?.array?.isEmpty == false)
        #expect(report["forms"]?.array?.compactMap { $0.string("form") } == ["checkout", "identity"])
        try expect(report["routes"], equals: #"[{"name":"echo","kind":"echo","url":null}]"#)

        let bad = try Command.cloakroom(arguments + ["--set", "server.limits.body=lots"], in: workspace)
        #expect(bad.end == .exit(1))
        let mistakes = try JSONValue(text: bad.output)["mistakes"]?.array ?? []
        #expect(mistakes.count == 1 && mistakes.first?.string("path") == "server.limits.body")
        #expect(mistakes.first?.object?.members.map(\.key) == ["file", "line", "path", "message"])

        let broken = try Setting.workspace("server: [", forms: [:])
        let run = try Command.cloakroom(
            ["check", "--format", "json", "--config", broken.path(of: "cloakroom.yaml")], in: broken)
        #expect(try run.end == .exit(1) && JSONValue(text: run.output)["isValid"]?.text == "false")
    }

    @Test(
        arguments: [
            (#"{"form":{"form":"f","fields":[{"name":"a"}]},"fields":{"a":"x"}}"#, 0),
            (#"{"form":{"form":"f","fields":[{"name":"a","required":true}]},"fields":{}}"#, 1),
            (#"{"form":{"form":"f","fields":[{"name":"a"}]},"fields":{"b":"x"}}"#, 1), ("[]", 1), ("", 0),
        ] as [(String, Int32)])
    func evaluateFailsOnInvalid(_ line: String, _ status: Int32) throws {
        let workspace = try Workspace()
        let run = try Command.cloakroom(["evaluate", "--fail-on-invalid"], input: line, in: workspace)
        #expect(run.end == .exit(status), "\(run.output)")
        #expect(try Command.cloakroom(["evaluate"], input: line, in: workspace).end == .exit(0))
    }

    /// A value that does not fit its format is refused, unless the vault gives it another.
    @Test func evaluateTakesSettings() throws {
        let workspace = try Workspace()
        let line = """
            {"form":{"form":"f","fields":[{"name":"a","tokenization":{"format":"FPE_SIX_T_FOUR"}}]},"fields":{"a":"x"}}
            """
        let plain = try Command.cloakroom(["evaluate", "--fail-on-invalid"], input: line, in: workspace)
        #expect(plain.end == .exit(1))
        let set = ["--set", "vault.aliasFallback=uuid"]
        let run = try Command.cloakroom(["evaluate", "--fail-on-invalid"] + set, input: line, in: workspace)
        #expect(run.end == .exit(0), "\(run.output)\(run.errors)")
        #expect(try Command.cloakroom(["evaluate", "--set", "x"], in: workspace).end == .exit(2))
    }
}
