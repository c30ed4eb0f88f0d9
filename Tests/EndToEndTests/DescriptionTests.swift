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

    private func document(_ configuration: String, forms: [String: String] = [:]) throws -> JSONValue {
        let workspace = try Setting.workspace(configuration, forms: forms)
        let run = try Command.cloakroom(["openapi", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(run.end == .exit(0), "\(run.errors)")
        return try JSONValue(text: run.output)
    }

    /// Where anyone may call, a session or a credential may be sent too, and counts.
    @Test(arguments: [("public", 3), ("session", 2), ("credential", 2)])
    func whoMayCallAFormHasAllWaysToSayWhoItIs(_ caller: String, _ count: Int) throws {
        let form = "form: memo\naccess: {validate: \(caller)}\nfields: [{name: note}]\n"
        let operation = try document(Setting.base, forms: ["memo": form])["paths", "/v1/forms/memo/validate", "post"]
        let ways = try #require(operation?["security"]?.array).map { $0.object?.members.map(\.key) ?? ["?"] }
        #expect(ways == [[], ["bearer"], ["basic"]].suffix(count))
    }

    /// The route, its setting, and the bodies that its call shows.
    @Test(
        arguments: [
            ("", #"{"card":{"number":"ALIAS"}}"#, "number=ALIAS"),
            (
                ", reveal: {body: [/items/*/pan, /card, /cvc]}",
                #"{"items":[{"pan":"ALIAS"}],"card":"ALIAS","cvc":"ALIAS"}"#, "card=ALIAS&cvc=ALIAS"
            ),
            (", reveal: {body: require, require: [/a/0/b, /a/0/c]}", #"{"a":[{"b":"ALIAS","c":"ALIAS"}]}"#, nil),
            (", reveal: {body: false}", nil, nil),
        ])
    func aRevealRouteShowsABodyThatItReads(_ setting: String, _ json: String?, _ form: String?) throws {
        let route =
            "routes: [{name: acquirer, kind: reveal, url: \"https://a.example\", methods: [GET, POST]\(setting)}]"
        let paths = try document(Setting.base + route)["paths", "/v1/routes/acquirer/{path}"]
        #expect(paths?["get", "requestBody"] == nil)
        let shown = try #require(paths?["post", "requestBody"])
        let example = shown["content", "application/json", "example"]?.text
        #expect(example?.replacing(#/tok_sandbox_\w+/#, with: "ALIAS") == json)
        let told = shown.string("description")?.replacing(#/tok_sandbox_\w+/#, with: "ALIAS")
        #expect(told == form.map { "JSON, or `application/x-www-form-urlencoded`, as in `\($0)`." })
    }

    @Test func aRevealRouteShowsWhereElseAliasesMayStand() throws {
        let route = """
            routes: [{name: acquirer, kind: reveal, url: "https://a.example", reveal: {headers: [X-Card, Authorization], query: [card]}}]
            """
        let operation = try document(Setting.base + route)["paths", "/v1/routes/acquirer/{path}", "post"]
        let places = try #require(operation?["parameters"]?.array).compactMap { parameter in
            parameter.string("name").map { "\(parameter.string("in") ?? "") \($0)" }
        }
        #expect(places == ["header x-card", "query card"])
    }

    /// A remote vault's refusals reach the caller, and an echo has to ask it, too.
    @Test func aRemoteVaultMayRespondAnything() throws {
        let form = "form: memo\nroute: echo\nfields: [{name: note, tokenization: {}}]\n"
        let configuration = Setting.base + "routes: [{name: echo, kind: echo}]"
        let own = try document(configuration, forms: ["memo": form])
        let remote = "vault: {store: remote, remote: {url: \"https://vault.example\"}, "
        let other = try document(configuration.replacing("vault: {", with: remote), forms: ["memo": form])
        for (call, added) in [("aliases", ["default"]), ("tokens", ["default"]), ("send/{path}", ["502", "504"])] {
            func statuses(_ document: JSONValue) throws -> Set<String> {
                Set(
                    try #require(document["paths", "/v1/forms/memo/\(call)", "post", "responses"]?.object).members.map(
                        \.key))
            }
            #expect(try statuses(other).subtracting(statuses(own)) == Set(added), "\(call)")
        }
        #expect(
            other["paths", "/v1/forms/memo/aliases", "post", "responses", "401"]?.string("$ref")
                == "#/components/responses/Passed401")
    }

    /// Those of stored errors, too.
    @Test(arguments: ["Problem400", "Passed502"]) func repeatedResponsesHaveTheirHeaders(_ name: String) throws {
        let headers = try document(Setting.base + Self.routes)["components", "responses", name, "headers"]
        #expect(headers?["Idempotency-Replayed"] != nil && headers?["Idempotent-Replayed"] != nil)
    }

    /// What the document shows of each call with a form is taken, and the response has the shape that it shows.
    @Test func examplesOfFormsAreTaken() throws {
        var forms = try Setting.deliveredForms().merging(["scan": Setting.scan, "nowhere": Setting.nowhere]) { $1 }
        forms["odd"] = """
            form: odd
            fields:
              - {name: iban, isRequiredValidOnly: true, validationRules: [{rule: iban}], tokenization: {format: GENERIC_T_FOUR}}
              - {name: number, isRequiredValidOnly: true, tokenization: {format: NUM_LENGTH_PRESERVING}}
              - {name: text, isRequiredValidOnly: true, tokenization: {format: GENERIC_T_FOUR}}
              - {name: phone, isRequiredValidOnly: true, mask: "(###) ###-####"}
              - {name: paper, type: file, file: {maxBytes: 500, contentTypes: [application/pdf]}}
            """
        let gateway = try GatewayProcess(in: try Setting.workspace(forms: forms))
        let paths = try #require(try gateway.request("GET", "/openapi.json").json()["paths"])
        func shape(_ body: JSONValue?) -> [String] {
            var shape = (body?["data"]?.object?.members ?? []).map(\.key)
            for alias in body?["aliases"]?.array ?? [] {
                shape += ["fieldName", "format", "storage"].map { name in alias.string(name) ?? "-" }
            }
            return shape
        }
        for form in forms.keys {
            let path = "/v1/forms/\(form)/aliases"
            let call = try #require(paths[path, "post"])
            let example = try #require(call["requestBody", "content", "application/json", "example"])
            let response = try gateway.post(path, example.text, as: .dev)
            #expect(response.status == 201 || response.status == 200, "\(form): \(response.bodyText)")
            let shown = call["responses", String(response.status), "content", "application/json", "example"]
            #expect(try shape(shown) == shape(response.json()), "\(form): \(shown?.text ?? "-")")
        }
    }

    /// A status of the gateway's own may be that of an upstream, whose responses have any media type.
    @Test func whatAnUpstreamRespondsHasAnyMediaType() throws {
        let routes = """
            routes:
              - {name: orders, kind: upstream, url: "https://orders.example"}
              - {name: acquirer, kind: reveal, url: "https://acquirer.example"}
            """
        let form = Setting.memo.replacing("route: echo", with: "route: orders").replacing(
            "form: memo", with: "form: order")
        let document = try document(Setting.base + routes, forms: ["order": form, "memo": Setting.memo])
        for (path, isPassed) in [
            ("/v1/forms/order/send/{path}", true), ("/v1/routes/acquirer/{path}", true),
            ("/v1/forms/memo/send/{path}", false),
            ("/v1/forms/order/aliases", false),
        ] {
            for status in ["400", "401", "409", "503"] {
                guard
                    let name = document["paths", path, "post", "responses", status, "$ref"]?.string?.split(
                        separator: "/"
                    ).last
                else { continue }
                let types = document["components", "responses", String(name), "content"]?.object?.members.map(\.key)
                #expect(types == ["application/problem+json"] + (isPassed ? ["*/*"] : []), "\(path) \(status)")
            }
        }
    }

    /// It answers 501 there.
    @Test func aGatewayOfARemoteVaultShowsNoVaultPlane() throws {
        let remote = Setting.base.replacing(
            "vault: {", with: "vault: {store: remote, remote: {url: \"https://vault.example\"}, ")
        let paths = try #require(document(remote, forms: ["memo": Setting.memo])["paths"]?.object)
        #expect(paths["/v1/forms/memo/aliases"] != nil)
        #expect(
            paths.members.map(\.key).filter {
                $0.hasPrefix("/aliases") || $0.hasPrefix("/tokens") || $0.hasPrefix("/erasures")
            } == [])
    }

    /// A client that is made of the document finds no response that it does not describe, no bad request that is let through, no
    /// server error, and no operation that never succeeds. `make contract` runs it for longer.
    @Test func theGatewayDoesWhatTheDocumentSays() throws {
        let upstream = try Upstream { upstream, connection in
            while true {
                _ = try upstream.receive(connection)
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
                try connection.send(head + "{}")
            }
        }
        let route = """
            routes: [{name: acquirer, kind: reveal, allowPlaintext: true, methods: [GET, POST, PUT, PATCH, DELETE], \
            url: "http://127.0.0.1:\(upstream.port)"}]
            """
        let base = Setting.base.replacing("\"routes:send\"", with: "\"routes:send\", \"sessions:create\"")
        // One without a title is among them.
        let forms = try Setting.deliveredForms().merging(["nowhere": Setting.nowhere]) { $1 }
        let workspace = try Setting.workspace(base + route, forms: forms)
        let gateway = try GatewayProcess(in: workspace, ["--set", "server.trustedProxies=127.0.0.1/32"])
        let url = "http://127.0.0.1:\(gateway.port)"
        let contract = "\(Place.project)/Tests/Contract"
        let record = workspace.path(of: "record")
        let run = try Command(
            "\(Self.tools)/schemathesis",
            [
                "--config-file", "\(contract)/schemathesis.toml", "run", "\(url)/openapi.json", "--checks", "all",
                "--max-examples", "10", "--seed", "1", "--exclude-path-regex", "^/(health|metrics)", "--header",
                "Authorization: \(User.dev.authorization)",
            ], in: workspace,
            environment: [
                "HOME": workspace.path(of: ""), "SCHEMATHESIS_HOOKS": "\(contract)/hooks.py",
                "CONTRACT_RECORD": record,
            ])
        #expect(run.end == .exit(0), "\(run.output.suffix(4_000))\(run.errors)")
        #expect(run.output.contains(" passed"), "\(run.output.suffix(1_000))")
        let reached = try Command("/usr/bin/python3", ["\(contract)/reached.py", url, record], in: workspace)
        #expect(reached.end == .exit(0), "\(reached.output)\(reached.errors)")
        #expect(upstream.requests.contains { $0.bodyText.contains("4111111111111111") })
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
