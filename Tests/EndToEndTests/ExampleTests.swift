import Foundation
import ProcessTesting
import Testing

/// Clients as others write them: the examples, and what a tool makes of the OpenAPI document.
@Suite(.waits) struct ExampleTests {
    private static let python = "\(Place.project)/.build/python/bin/python3"

    private func expectDone(_ path: String, _ arguments: [String], in workspace: Workspace) throws {
        let run = try Command(path, arguments, in: workspace)
        #expect(run.end == .exit(0), "\(run.output)\(run.errors)")
    }

    private func gateway(_ workspace: Workspace) throws -> (GatewayProcess, url: String) {
        let gateway = try GatewayProcess(in: workspace)
        return (gateway, "http://127.0.0.1:\(gateway.port)")
    }

    @Test(arguments: [("/bin/bash", "examples/session.sh"), (python, "examples/session.py")])
    func theExampleRuns(_ program: String, _ file: String) throws {
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let (gateway, url) = try gateway(workspace)
        try expectDone(program, ["\(Place.project)/\(file)", url], in: workspace)
        #expect(try gateway.stop() == .exit(0))
    }

    /// The compiler checks it and makes a module of it, which Node runs with the `fetch` that browsers have.
    @Test func theExampleInTypeScriptCompilesAndRuns() throws {
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let (gateway, url) = try gateway(workspace)
        try expectDone(
            "/usr/bin/env",
            [
                "tsc", "--strict", "--noUncheckedIndexedAccess", "--target", "es2022", "--module", "es2022", "--lib",
                "es2022,dom", "--outDir", workspace.path(of: "made"),
                "\(Place.project)/examples/session.ts",
            ], in: workspace)
        try FileManager.default.moveItem(
            atPath: workspace.path(of: "made/session.js"), toPath: workspace.path(of: "made/session.mjs"))
        let script =
            "const { session } = await import('\(workspace.path(of: "made/session.mjs"))'); await session('\(url)')"
        try expectDone("/usr/bin/env", ["node", "--input-type=module", "--eval", script], in: workspace)
        #expect(try gateway.stop() == .exit(0))
    }

    @Test func aGeneratedClientHoldsTheSession() throws {
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let (gateway, url) = try gateway(workspace)
        try expectDone(Self.python, ["\(Place.project)/Tests/Contract/generated.py", url], in: workspace)
        #expect(try gateway.stop() == .exit(0))
    }

    /// The upstream gets the value for the alias that the client has made.
    @Test func aGeneratedClientCallsARevealRoute() throws {
        let upstream = try Upstream { upstream, connection in
            while true {
                _ = try upstream.receive(connection)
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let route = """
            routes: [{name: charge, kind: reveal, allowPlaintext: true, url: "http://127.0.0.1:\(upstream.port)"}]
            """
        let workspace = try Setting.workspace(Setting.base + route)
        let (gateway, url) = try gateway(workspace)
        try expectDone(Self.python, ["\(Place.project)/Tests/Contract/generated.py", url, "charge"], in: workspace)
        #expect(upstream.requests.first?.bodyText.contains("4111111111111111") == true)
        #expect(try gateway.stop() == .exit(0))
    }

    @Test func aGeneratedClientInTypeScriptHoldsTheSession() throws {
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let (gateway, url) = try gateway(workspace)
        try expectDone("\(Place.project)/Tests/Contract/generated-typescript", [url], in: workspace)
        #expect(try gateway.stop() == .exit(0))
    }
}
