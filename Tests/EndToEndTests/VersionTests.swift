import ProcessTesting
import Testing

@Suite(.waits) struct VersionTests {
    /// Name and version, commit, then the C libraries.
    @Test func versionOfTheProductAndItsLibraries() throws {
        let command = try Command.cloakroom(["--version"], in: Workspace())
        #expect(command.end == .exit(0))
        let lines = command.lines
        try #require(lines.count == 8)
        #expect(lines[0].wholeMatch(of: /cloakroom \d+\.\d+\.\d+/) != nil)
        #expect(lines[1].wholeMatch(of: /commit (unknown|[0-9a-f]{7,40}(-dirty)?)/) != nil)
        for (line, library) in zip(lines.dropFirst(2), ["libevent", "OpenSSL", "SQLite", "PCRE2"]) {
            #expect(line.hasPrefix(library + " ") && line.contains(/\d+\.\d+/), "\(line)")
        }
        #expect(lines[6].wholeMatch(of: /libpq (not installed|\d+\.\d+)/) != nil)
        #expect(lines[7].wholeMatch(of: /hiredis (not installed|\d+\.\d+\.\d+)/) != nil)
    }

    @Test func theMetricOfTheBuild() throws {
        let gateway = try GatewayProcess(in: Setting.workspace())
        let text = try gateway.admin("GET", "/metrics").bodyText
        #expect(text.contains(/\ncloakroom_build_info\{version="\d+\.\d+\.\d+",commit="[^"]+"\} 1\n/))
    }
}
