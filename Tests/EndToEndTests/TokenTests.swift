import JSON
import Testing

/// Tokens of an identity provider (docs/reference/access.md section 3), made by another implementation.
@Suite struct TokenTests {
    private struct Case {
        let name: String
        let token: String
        let status: Int
    }

    private func tokens(in workspace: Workspace) throws -> (keys: String, cases: [Case]) {
        let run = try Command(
            "\(Place.project)/.build/python/bin/python3", ["\(Place.project)/Tests/Access/tokens.py"], in: workspace)
        #expect(run.end == .exit(0), "\(run.errors)")
        let made = try JSONValue(text: run.output)
        let cases = try #require(made["cases"]?.array).map { entry in
            Case(
                name: try #require(entry.string("name")), token: try #require(entry.string("token")),
                status: try #require(entry["status"].flatMap(Self.number)))
        }
        return (try #require(made["keys"]).text, cases)
    }

    private static func number(_ value: JSONValue) -> Int? {
        if case .number(let number) = value { number.int } else { nil }
    }

    private func configuration(_ source: String) -> String {
        "\(Setting.base)\nauth: {jwt: [{issuer: \"https://login.example\", audience: cloakroom, jwks: {\(source)}}]}\n"
    }

    private func status(of token: String, _ gateway: GatewayProcess) throws -> Int {
        try gateway.request(
            "POST", "/aliases", ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
            body: #"{"data":[{"value":"v","format":"UUID"}]}"#
        ).status
    }

    @Test func tokensOfPyJWT() throws {
        let workspace = try Setting.workspace(forms: ["locked": Setting.locked])
        let (keys, cases) = try tokens(in: workspace)
        try workspace.write(keys, to: "keys.json")
        try workspace.write(configuration("file: keys.json"), to: "cloakroom.yaml")
        let gateway = try GatewayProcess(in: workspace)
        for entry in cases {
            #expect(try status(of: entry.token, gateway) == entry.status, "\(entry.name)")
        }
        // On the client plane, too; and what is revealed has its origin in the audit log.
        let good = try #require(cases.first).token
        let headers = ["Authorization": "Bearer \(good)", "Content-Type": "application/json"]
        let form = try gateway.request("POST", "/v1/forms/locked/aliases", headers, body: #"{"fields":{"note":"n"}}"#)
        #expect(form.status == 200)
        #expect(try gateway.request("GET", "/aliases/none", headers).status == 404)
        #expect(try gateway.stop() == .exit(0))
        let audit = workspace.read("data/vault.audit.log")
        #expect(
            audit.contains(
                #""credential":"shop","address":"127.0.0.1","session":"t-1","issuer":"https://login.example""#))
        for entry in cases { #expect(!gateway.log.contains(entry.token) && !audit.contains(entry.token)) }
    }

    /// Keys are fetched once for all that wait, and a stranger who invents key ids does not have them fetched more often.
    @Test func keysOfAURL() throws {
        let workspace = try Setting.workspace()
        let (keys, cases) = try tokens(in: workspace)
        let provider = try Upstream { upstream, connection in
            while (try? upstream.receive(connection)) != nil {
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(keys.utf8.count)\r\n\r\n"
                        + keys)
            }
        }
        try workspace.write(
            configuration("url: \"http://127.0.0.1:\(provider.port)/keys\""), to: "cloakroom.yaml")
        let gateway = try GatewayProcess(in: workspace)
        for _ in 0..<2 {
            for entry in cases {
                #expect(try status(of: entry.token, gateway) == entry.status, "\(entry.name)")
            }
        }
        #expect(provider.requests.map(\.target) == ["/keys"])
        #expect(try gateway.stop() == .exit(0))
    }
}
