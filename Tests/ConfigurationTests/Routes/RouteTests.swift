import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

@Suite struct RouteTests {
    private func load(_ route: String) throws -> LoadedConfiguration {
        let folder = try TemporaryFolder(["c.yaml": "routes:\n  - \(route)\n"])
        return Configuration.load(file: folder.path + "/c.yaml")
    }

    /// proxy, sections 1 and 4.
    @Test(arguments: [
        (
            "{name: a, kind: upstream, url: \"HTTPS://API.Shop.example:443/in/\"}",
            "upstream https://api.shop.example/in/"
        ),
        ("{name: a, kind: upstream, url: \"http://[::1]:81\", allowPlaintext: true}", "upstream http://[::1]:81"),
        ("{name: a, kind: vgs, tenantId: tntk2d7}", "vgs https://tntk2d7.sandbox.verygoodproxy.com"),
        (
            "{name: a, kind: vgs, tenantId: tntk2d7, environment: live, region: eu-1}",
            "vgs https://tntk2d7.live-eu-1.verygoodproxy.com"
        ),
        ("{name: a, kind: vgs, tenantId: t1, environment: live-eu-1}", "vgs https://t1.live-eu-1.verygoodproxy.com"),
        (
            "{name: a, kind: vgs, tenantId: t1, routeId: 7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11}",
            "vgs https://t1-7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11.sandbox.verygoodproxy.com"
        ),
        ("{name: a, kind: reveal, url: \"https://p.example/x\"}", "reveal https://p.example/x"),
        ("{name: a, kind: echo, methods: [GET]}", "echo -"),
    ])
    func baseURLs(route: String, line: String) throws {
        let configuration = try #require(try load(route).configuration)
        #expect(configuration.routeLines.last == "route a \(line)")
    }

    @Test(arguments: [
        ("{kind: echo}", "name"), ("{name: a}", "kind"), ("{name: a, kind: up}", "kind"),
        ("{name: \"a b\", kind: echo}", "name"),
        ("{name: a, kind: echo, url: \"https://h\"}", "url"),
        ("{name: a, kind: echo, tls: {}}", "tls"), ("{name: a, kind: echo, paths: [/a]}", "paths"),
        ("{name: a, kind: echo, timeouts: {connect: 5}}", "timeouts.connect"),
        ("{name: a, kind: echo, forwardHeaders: [Host]}", "forwardHeaders[0]"),
        ("{name: a, kind: echo, routeId: route-1}", "routeId"),
        ("{name: a, kind: upstream, url: \"https://h\", routeId: 7f3c0a5241de4b0c9a770f5d2c9b6e11}", "routeId"),
        (
            "{name: a, kind: reveal, url: \"https://h\", routeId: 7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11}", "routeId"
        ),
        ("{name: a, kind: upstream}", "url"), ("{name: a, kind: upstream, url: \"http://h\"}", "url"),
        ("{name: a, kind: upstream, url: \"ftp://h\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://u:p@h\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://h/?x\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://h/#x\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://h:0\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://h:99999\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://h/a/../b\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://h/%2e%2e/b\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://h/a b\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://h\\\\x/\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://-h/\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://300.1.1.1/\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://[1:2]/\"}", "url"),
        ("{name: a, kind: upstream, url: \"https://h\", methods: [get]}", "methods[0]"),
        ("{name: a, kind: upstream, url: \"https://h\", methods: []}", "methods"),
        ("{name: a, kind: upstream, url: \"https://h\", tenantId: t}", "tenantId"),
        ("{name: a, kind: upstream, url: \"https://h\", headers: {\"X-A\": \"a\\nb\"}}", "headers.X-A"),
        ("{name: a, kind: upstream, url: \"https://h\", headers: {Host: x}}", "headers.Host"),
        ("{name: a, kind: upstream, url: \"https://h\", headers: {X: {env: NOT_THERE}}}", "headers.X.env"),
        ("{name: a, kind: upstream, url: \"https://h\", headers: {X: [a]}}", "headers.X"),
        (
            "{name: a, kind: upstream, url: \"https://h\", guard: {pan: mask}, headers: {Accept-Encoding: gzip}}",
            "headers.Accept-Encoding"
        ), ("{name: a, kind: reveal, url: \"https://h\", headers: {accept-encoding: br}}", "headers.accept-encoding"),
        ("{name: a, kind: upstream, url: \"https://h\", headers: {\"a b\": x}}", "headers"),
        ("{name: a, kind: upstream, url: \"https://h\", responseHeaders: [Connection]}", "responseHeaders[0]"),
        (
            "{name: a, kind: upstream, url: \"https://h\", responseHeaders: [Cloakroom-Upstream-Status]}",
            "responseHeaders[0]"
        ),
        ("{name: a, kind: upstream, url: \"https://h\", responseHeaders: [x-request-id]}", "responseHeaders[0]"),
        ("{name: a, kind: upstream, url: \"https://h\", timeouts: {connect: 5}}", "timeouts.connect"),
        ("{name: a, kind: upstream, url: \"https://h\", tls: {ca: /no/such.pem}}", "tls.ca"),
        ("{name: a, kind: upstream, url: \"https://h\", timeouts: {response: 5}}", "timeouts.response"),
        ("{name: a, kind: upstream, url: \"https://h\", tls: {minimumVersion: 1.1}}", "tls.minimumVersion"),
        ("{name: a, kind: upstream, url: \"https://h\", tls: {serverName: \"\"}}", "tls.serverName"),
        ("{name: a, kind: upstream, url: \"https://h\", tls: {serverName: .example}}", "tls.serverName"),
        ("{name: a, kind: upstream, url: \"https://h\", tls: {serverName: \"h\\0x\"}}", "tls.serverName"),
        ("{name: a, kind: upstream, url: \"https://h\", tls: {serverName: \"h:443\"}}", "tls.serverName"),
        ("{name: a, kind: vgs, tenantId: t, tls: {serverName: \"\"}}", "tls.serverName"),
        ("{name: a, kind: upstream, url: \"https://h\", pool: {connections: 0}}", "pool.connections"),
        ("{name: a, kind: upstream, url: \"https://h\", breaker: {failures: -1}}", "breaker.failures"),
        ("{name: a, kind: upstream, url: \"https://h\", breaker: {rest: 5}}", "breaker.rest"),
        ("{name: a, kind: upstream, url: \"https://h\", paths: [orders]}", "paths[0]"),
        ("{name: a, kind: upstream, url: \"https://h\", paths: []}", "paths"),
        ("{name: a, kind: echo, breaker: {failures: 3}}", "breaker"),
        ("{name: a, kind: vgs, tenantId: t, allowPlaintext: true}", "allowPlaintext"),
        ("{name: a, kind: vgs, tenantId: t_1}", "tenantId"), ("{name: a, kind: vgs, tenantId: \"\"}", "tenantId"),
        ("{name: a, kind: vgs, tenantId: t, environment: livesandbox}", "environment"),
        ("{name: a, kind: vgs, tenantId: t, environment: live--eu}", "environment"),
        ("{name: a, kind: vgs, tenantId: t, environment: Live}", "environment"),
        ("{name: a, kind: vgs, tenantId: t, region: -eu}", "region"),
        ("{name: a, kind: vgs, tenantId: t, environment: live-eu-1, region: eu}", "region"),
        ("{name: a, kind: vgs, tenantId: t, routeId: 7f3c0a5241de4b0c9a770f5d2c9b6e11}", "routeId"),
        (
            "{name: a, kind: vgs, tenantId: abcdefghijklmnopqrstuvwxyz0, routeId: 7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11}",
            "routeId"
        ),
        ("{name: a, kind: reveal, url: \"https://h\", reveal: {body: maybe}}", "reveal.body"),
        ("{name: a, kind: reveal, url: \"https://h\", redact: [{pointer: card, format: UUID}]}", "redact[0].pointer"),
        ("{name: a, kind: reveal, url: \"https://h\", redact: [{pointer: /card, format: X}]}", "redact[0].format"),
    ])
    func mistakes(route: String, path: String) throws {
        #expect(try load(route).mistakes.map(\.path) == ["routes[0].\(path)"])
    }

    @Test(arguments: [
        "Host", "content-length", "Content-Type", "Transfer-Encoding", "Connection", "Keep-Alive", "TE", "Trailer",
        "Upgrade",
        "Expect", "Proxy-Authorization", "proxy-anything",
    ])
    func headersThatAreNeverForwarded(name: String) throws {
        let loaded = try load("{name: a, kind: upstream, url: \"https://h\", forwardHeaders: [\(name)]}")
        #expect(loaded.mistakes.map(\.path) == ["routes[0].forwardHeaders[0]"])
    }

    @Test(arguments: [
        ("{name: a, kind: echo, timeouts: {connect: 5s}}", "timeouts"),
        ("{name: a, kind: echo, forwardHeaders: [X-A]}", "forwardHeaders"),
        ("{name: a, kind: echo, headers: {X-A: b}}", "headers"),
        ("{name: a, kind: echo, responseHeaders: [X-A]}", "responseHeaders"),
        ("{name: a, kind: echo, routeId: 7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11}", "routeId"),
        ("{name: a, kind: upstream, url: \"https://h\", routeId: 7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11}", "routeId"),
    ])
    func whatSaysNothingOnAKindIsIgnored(route: String, key: String) throws {
        let loaded = try load(route)
        let made = try #require(loaded.configuration?.routes.last, "\(loaded.mistakes)")
        #expect(loaded.warnings.map(\.path).filter { $0.hasPrefix("routes") } == ["routes[0].\(key)"])
        #expect(made.name == "a" && made.forwardHeaders.isEmpty && made.headers.isEmpty)
        #expect(made.responseHeaders == ["Content-Type"] && made.timeouts.connect == .seconds(10))
    }

    @Test(arguments: ["Idempotency-Replayed", "idempotency-REPLAYED", "Idempotent-REPLAYED"])
    func whatSpeaksOfThisGatewaysAnswersIsNotPassedBack(name: String) throws {
        let loaded = try load("{name: a, kind: upstream, url: \"https://h\", responseHeaders: [X-A, \(name)]}")
        #expect(loaded.configuration?.routes.last?.responseHeaders == ["X-A"])
        #expect(loaded.warnings.contains { $0.path == "routes[0].responseHeaders[1]" })
    }

    /// A header that is set may be an upstream's key.
    @Test func secretsInHeadersAreGivenAsOthers() throws {
        let folder = try TemporaryFolder([
            "key": "Bearer sk-1\n", "broken": "a\u{1}b",
            "c.yaml":
                "routes: [{name: a, kind: upstream, url: \"https://h\", headers: {Authorization: {file: key}, X-B: b}}]",
            "d.yaml":
                "routes: [{name: a, kind: upstream, url: \"https://h\", headers: {Authorization: {file: broken}}}]",
        ])
        let made = Configuration.load(file: folder.path + "/c.yaml").configuration?.routes.last
        #expect(made?.headers.map(\.value) == ["Bearer sk-1", "b"])
        #expect(
            Configuration.load(file: folder.path + "/d.yaml").mistakes.map(\.path) == [
                "routes[0].headers.Authorization.file"
            ])
    }

    @Test func authorizationIsForwardedOnlyIfListed() throws {
        let loaded = try load("{name: a, kind: upstream, url: \"https://h\", forwardHeaders: [Authorization, X-Trace]}")
        #expect(loaded.configuration?.routes.last?.forwardHeaders == ["authorization", "x-trace"])
    }

    @Test(arguments: [
        ("7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11", true), ("7f3c0a5241de4b0c9a770f5d2c9b6e11", false), ("route-1", false),
        ("", false), ("7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e1g", false), ("7F3C0A52_41de-4b0c-9a77-0f5d2c9b6e11", false),
        ("7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e111", false), ("７F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11", false),
    ])
    func routeIDs(text: String, isValid: Bool) {
        #expect((RouteID(text) != nil) == isValid)
    }

    @Test func longTenantsHaveNoRoomForARouteID() {
        let tenant = Tenant(id: String(repeating: "a", count: 27), environment: "sandbox")
        let routeID = RouteID("7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11")
        #expect(routeID != nil)
        #expect(tenant.base(routeID: nil) != nil)
        #expect(tenant.base(routeID: routeID) == nil)
    }
}
