import Foundation
import JSON
import ProcessTesting
import Testing

/// The OpenAPI document: valid, true, and served to those it is meant for.
@Suite(.waits) struct DescriptionTests {
    private static let tools = "\(Place.project)/.build/python/bin"

    /// The meta-schema's own validator.
    @Test func theDocumentIsValid() throws {
        let workspace = try Setting.workspace(
            Setting.base + Self.routes, forms: try Setting.deliveredForms().merging(["scan": Setting.scan]) { $1 })
        let run = try Command.cloakroom(["openapi", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(run.end == .exit(0), "\(run.errors)")
        try workspace.write(run.output, to: "openapi.json")
        let check = try Command(
            "\(Self.tools)/openapi-spec-validator", [workspace.path(of: "openapi.json")], in: workspace)
        #expect(check.end == .exit(0), "\(check.output)\(check.errors)")
        let document = try JSONValue(text: run.output)
        let paths = try #require(document["paths"]?.object)
        for path in ["/v1/forms/checkout/send/{path}", "/v1/routes/acquirer/{path}", "/aliases/{alias}", "/metrics"] {
            #expect(paths[path] != nil, "\(path)")
        }
    }

    private static let routes = """
        routes:
          - {name: acquirer, kind: reveal, url: "https://acquirer.example/v1", methods: [POST, PUT]}
        """

    /// A client that is made of the document finds no response that it does not describe, no bad request that is let through, no
    /// server error. `make contract` runs it for longer.
    @Test func theGatewayDoesWhatTheDocumentSays() throws {
        let workspace = try Setting.workspace(forms: try Setting.deliveredForms())
        let gateway = try GatewayProcess(in: workspace, ["--set", "server.trustedProxies=127.0.0.1/32"])
        let run = try Command(
            "\(Self.tools)/schemathesis",
            [
                "--config-file", "\(Place.project)/Tests/Contract/schemathesis.toml", "run",
                "http://127.0.0.1:\(gateway.port)/openapi.json", "--checks", "all", "--max-examples", "10", "--seed",
                "1",
                "--exclude-path-regex", "^/(health|metrics)", "--header", "Authorization: \(User.dev.authorization)",
            ], in: workspace,
            environment: [
                "HOME": workspace.path(of: ""), "SCHEMATHESIS_HOOKS": "\(Place.project)/Tests/Contract/hooks.py",
            ])
        #expect(run.end == .exit(0), "\(run.output.suffix(4_000))\(run.errors)")
        #expect(run.output.contains(" passed"), "\(run.output.suffix(1_000))")
        #expect(try gateway.stop() == .exit(0))
    }

    @Test func itIsServedOnlyToWhomItIsMeantFor() throws {
        for (setting, status) in [("docs: {enabled: true}", 200), ("docs: {enabled: false}", 404), ("", 200)] {
            let gateway = try GatewayProcess(in: try Setting.workspace("\(Setting.base)\n\(setting)"))
            #expect(try gateway.request("GET", "/openapi.json").status == status, "\(setting)")
            #expect(try gateway.request("POST", "/openapi.json").status == (status == 200 ? 405 : 404), "\(setting)")
            for path in ["/docs", "/docs/", "/docs/docs.js", "/docs/docs.css"] {
                #expect(try gateway.request("GET", path).status == status, "\(setting) \(path)")
            }
        }
    }

    /// What the page itself does is looked at in Chromium (Tests/Browser/docs.py).
    @Test func thePageLoadsNothingFromElsewhere() throws {
        let gateway = try GatewayProcess(in: try Setting.workspace())
        let page = try gateway.request("GET", "/docs")
        #expect(page["Content-Type"] == "text/html; charset=utf-8" && page["X-Content-Type-Options"] == "nosniff")
        let policy = try #require(page["Content-Security-Policy"])
        #expect(
            policy.hasPrefix("default-src 'none'; script-src 'self'; ") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && !policy.contains("http"))
        // It is no part of the hosted fields, and what is no file of it is not there.
        for path in ["/elements/v1/docs.js", "/docs/cloakroom.js", "/docs/docs.html/x", "/docsx"] {
            #expect(try gateway.request("GET", path).status == 404, "\(path)")
        }
        #expect(try gateway.request("POST", "/docs").status == 405)
    }
}
