import JSON
import ProcessTesting
import Testing

/// Tokens of an identity provider (docs/reference/access.md section 3), made by another implementation.
@Suite(.waits) struct TokenTests {
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
        let paged = Setting.locked.replacing("form: locked", with: "form: paged")
            .replacing("aliases: credential", with: "aliases: session")
        let workspace = try Setting.workspace(forms: ["locked": Setting.locked, "paged": paged])
        let (keys, cases) = try tokens(in: workspace)
        try workspace.write(keys, to: "keys.json")
        // The same provider has another audience, too.
        let other = "{issuer: \"https://login.example\", audience: backend, jwks: {file: keys.json}}, "
        let both = configuration("file: keys.json").replacing("jwt: [", with: "jwt: [" + other)
        try workspace.write(both, to: "cloakroom.yaml")
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
        try refusalsNameASession(gateway, cases)
        #expect(try gateway.stop() == .exit(0))
        let audit = workspace.read("data/vault.audit.log")
        #expect(
            audit.contains(
                #""credential":"shop","address":"127.0.0.1","session":"t-1","issuer":"https://login.example""#))
        for entry in cases { #expect(!gateway.log.contains(entry.token) && !audit.contains(entry.token)) }
    }

    /// Where a session is asked for, a token that is not taken is told that it is none; where a credential is, it is unknown.
    private func refusalsNameASession(_ gateway: GatewayProcess, _ cases: [Case]) throws {
        for entry in cases where entry.status == 401 && !entry.name.hasPrefix("expired") && entry.name != "no end" {
            if Self.badClaims.contains(entry.name) { continue }
            let headers = ["Authorization": "Bearer \(entry.token)", "Content-Type": "application/json"]
            for (path, reason) in [
                ("/v1/forms/paged/aliases", "notASession"), ("/v1/forms/locked/aliases", nil),
            ] {
                let refused = try gateway.request("POST", path, headers, body: #"{"fields":{"note":"n"}}"#)
                #expect(refused.status == 401, "\(entry.name)")
                let info = try refused.json()["error"]?["userInfo"]?["extraInfo"]
                #expect(info?.string("reason") == reason, "\(entry.name) \(path)")
            }
        }
    }

    private static let badClaims = ["bad claim sub", "bad claim exp"]

    private func info(_ response: Message) throws -> JSONValue? {
        try response.json()["error"]?["userInfo"]?["extraInfo"]
    }

    /// Behind a right signature a caller is told which claim cannot be used, on both planes; and that a token without the claim of
    /// `auth.jwt[].forms` may use no form.
    @Test func aClaimThatIsBadOrMissingIsNamed() throws {
        let workspace = try Setting.workspace(forms: ["locked": Setting.locked])
        let (keys, cases) = try tokens(in: workspace)
        try workspace.write(keys, to: "keys.json")
        let limited = configuration("file: keys.json").replacing("audience:", with: "forms: shop_forms, audience:")
        try workspace.write(limited, to: "cloakroom.yaml")
        let gateway = try GatewayProcess(in: workspace)
        func call(_ path: String, _ name: String) throws -> Message {
            let token = try #require(cases.first { $0.name == name }).token
            let isForm = path.hasPrefix("/v1/")
            return try gateway.request(
                "POST", path, ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
                body: isForm ? #"{"fields":{"note":"n"}}"# : #"{"data":[{"value":"v","format":"UUID"}]}"#)
        }
        for (name, claim, rule) in [
            ("bad claim sub", "sub", "a text of at most 256 bytes"),
            ("bad claim exp", "exp", "a number of seconds since 1970, before the year 10000, without an exponent"),
        ] {
            let detail = "the token's claim \(claim) must be \(rule)"
            let onForm = try call("/v1/forms/locked/aliases", name)
            #expect(try onForm.status == 401 && onForm.json().string("detail") == detail)
            #expect(try info(onForm)?.string("reason") == "badClaim" && info(onForm)?.string("claim") == claim)
            let onVault = try call("/aliases", name)
            #expect(try onVault.status == 401 && onVault.json().string("detail") == detail)
            #expect(onVault["WWW-Authenticate"]?.contains("invalid_token") == true)
        }
        let unsigned = try call("/v1/forms/locked/aliases", "bad claim exp of a stranger")
        #expect(try unsigned.status == 401 && info(unsigned)?.string("reason") == nil)
        let formless = try call("/v1/forms/locked/aliases", "RS256")
        #expect(formless.status == 403)
        #expect(
            try formless.json().string("detail")
                == "the token names no forms, and may only use those that it names (auth.jwt[].forms)")
        #expect(try call("/aliases", "RS256").status == 201)
        #expect(try gateway.stop() == .exit(0))
    }

    /// On the planes where values come out: a reveal, and a reveal route, each by what the provider's names mean here. The admin
    /// listener takes no tokens: what it tells anyone may see, and what it does needs the master key.
    @Test func tokensWhereValuesComeOut() throws {
        let processor = try Upstream { upstream, connection in
            while (try? upstream.receive(connection)) != nil {
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let workspace = try Setting.workspace()
        let (keys, cases) = try tokens(in: workspace)
        try workspace.write(keys, to: "keys.json")
        let names = ["{aliases:reveal: aliases:reveal}", "{aliases:create: [aliases:create, routes:send]}"]
        let routes = """
            routes:
              - {name: acquirer, kind: reveal, url: "http://127.0.0.1:\(processor.port)", allowPlaintext: true, methods: [POST]}
            """
        for (index, map) in names.enumerated() {
            let auth = configuration("file: keys.json").replacing(
                "jwks: {file: keys.json}", with: "jwks: {file: keys.json}, scopes: \(map)")
            try workspace.write(auth + routes, to: "cloakroom.yaml")
            let gateway = try GatewayProcess(in: workspace)
            let made = try gateway.vault("POST", "/aliases", #"{"data":[{"value":"out","format":"UUID"}]}"#).json()
            let alias = try #require(made["data"]?.array?.first?["aliases"]?.array?.first?.string("alias"))
            let good = try #require(cases.first).token
            let headers = ["Authorization": "Bearer \(good)", "Content-Type": "application/json"]
            let reveal = try gateway.request("GET", "/aliases/\(alias)", headers)
            #expect(reveal.status == (index == 0 ? 200 : 403))
            #expect(reveal.bodyText.contains("\"out\"") == (index == 0))
            let sent = try gateway.request("POST", "/v1/routes/acquirer/charge", headers, body: #"{"a":"\#(alias)"}"#)
            #expect(sent.status == (index == 0 ? 403 : 200))
            #expect(processor.requests.map(\.bodyText) == (index == 0 ? [] : [#"{"a":"out"}"#]))
            let wrong = try #require(cases.first { $0.name == "a changed claim" }).token
            let refused = ["Authorization": "Bearer \(wrong)", "Content-Type": "application/json"]
            #expect(try gateway.request("GET", "/aliases/\(alias)", refused).status == 401)
            #expect(try gateway.request("POST", "/v1/routes/acquirer/x", refused, body: "{}").status == 401)
            #expect(try gateway.admin("POST", "/reload", headers).status == 403)
            #expect(try gateway.admin("GET", "/metrics", headers).status == 200)
            #expect(try gateway.stop() == .exit(0))
        }
    }

    /// Keys are fetched once for all that wait, and once more for the first key that is not known: a stranger who invents key ids does
    /// not have them fetched more often.
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
            configuration("url: \"http://127.0.0.1:\(provider.port)/keys?p=policy\""), to: "cloakroom.yaml")
        let gateway = try GatewayProcess(in: workspace)
        for _ in 0..<2 {
            for entry in cases {
                #expect(try status(of: entry.token, gateway) == entry.status, "\(entry.name)")
            }
        }
        #expect(provider.requests.map(\.target) == ["/keys?p=policy", "/keys?p=policy"])
        #expect(try gateway.stop() == .exit(0))
    }

    /// Keys are taken over verified TLS alone, as they come from the URL itself, and up to a bound: from a provider that redirects,
    /// sends too much, something else, or nothing, none are taken, and its tokens get 503 until it does better.
    @Test(arguments: ["redirect", "too large", "no keys", "500", "closes", "deserted"])
    func aProviderThatMisbehaves(_ way: String) throws {
        let workspace = try Setting.workspace()
        let (keys, cases) = try tokens(in: workspace)
        let elsewhere = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(keys.utf8.count)\r\n\r\n\(keys)")
        }
        let responses = [
            "redirect": "302 Found\r\nLocation: http://127.0.0.1:\(elsewhere.port)/keys\r\nContent-Length: 0\r\n\r\n",
            "too large": "200 OK\r\nContent-Length: 8000000\r\n\r\n"
                + String(keys.dropLast()) + String(repeating: " ", count: 8_000_000 - keys.utf8.count) + "}",
            "no keys": "200 OK\r\nContent-Length: 4\r\n\r\nkeys",
            "500": "500 Oops\r\nContent-Length: \(keys.utf8.count)\r\n\r\n\(keys)",
        ]
        let provider = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            if let response = responses[way] { try connection.send("HTTP/1.1 \(response)") }
        }
        let port = way == "deserted" ? try Upstream.deserted() : provider.port
        try workspace.write(configuration("url: \"http://127.0.0.1:\(port)/keys\""), to: "cloakroom.yaml")
        let gateway = try GatewayProcess(in: workspace)
        let good = try #require(cases.first).token
        for _ in 0..<3 { #expect(try status(of: good, gateway) == 503) }
        let request = try gateway.request("GET", "/aliases/none", ["Authorization": "Bearer \(good)"])
        #expect(request["Retry-After"].flatMap { Int($0) }.map { (1...60).contains($0) } == true)
        #expect(elsewhere.requests.isEmpty && provider.requests.count <= 1)
        // The gateway's own credentials are not concerned.
        #expect(try gateway.vault("POST", "/aliases", #"{"data":[{"value":"v","format":"UUID"}]}"#).status == 201)
        #expect(!gateway.log.contains(good))
        #expect(try gateway.stop() == .exit(0))
    }

    /// The provider's certificate must be of a known authority and for its name.
    @Test(arguments: [("DNS:localhost", true, 201), ("DNS:localhost", false, 503), ("DNS:other.example", true, 503)])
    func keysOverTLS(_ subject: String, isTrusted: Bool, expected: Int) throws {
        let workspace = try Setting.workspace()
        let (keys, cases) = try tokens(in: workspace)
        try workspace.write(keys, to: "www/keys.json")
        let certificates = try Certificates(in: workspace)
        try certificates.issue("provider", for: subject)
        let port = try Upstream.deserted()
        let server = try ChildProcess(
            "/usr/bin/env",
            [
                "-C", workspace.path(of: "www"), "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-WWW",
                "-quiet",
                "-cert", workspace.path(of: "provider.pem"), "-key", workspace.path(of: "provider.key"),
            ], errors: workspace.path(of: "provider"))
        defer { server.finish() }
        try eventually("the provider listens") { (try? Connection(port: port)) != nil }
        try workspace.write(configuration("url: \"https://localhost:\(port)/keys.json\""), to: "cloakroom.yaml")
        let gateway = try GatewayProcess(
            in: workspace, environment: isTrusted ? ["SSL_CERT_FILE": certificates.authority] : [:])
        let good = try #require(cases.first).token
        #expect(try status(of: good, gateway) == expected)
        guard expected == 201 else { return }
        // The keys stay in use while the provider is away. Nobody knows then whether it has others.
        server.finish()
        for entry in cases {
            let expected = entry.name == "an unknown key id" ? 503 : entry.status
            #expect(try status(of: entry.token, gateway) == expected, "\(entry.name)")
        }
    }

    /// Keys of a file are rolled by a reload: tokens of the old ones are refused from then on.
    @Test func keysAreRolled() throws {
        let workspace = try Setting.workspace()
        let (old, new) = (try tokens(in: workspace), try tokens(in: workspace))
        try workspace.write(old.keys, to: "keys.json")
        try workspace.write(configuration("file: keys.json"), to: "cloakroom.yaml")
        let gateway = try GatewayProcess(in: workspace)
        func statuses() throws -> [Int] {
            try [old, new].map { try status(of: try #require($0.cases.first).token, gateway) }
        }
        #expect(try statuses() == [201, 401])
        try workspace.write(new.keys, to: "keys.json")
        let reload = try Command.cloakroom(
            ["reload", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(reload.end == .exit(0), "\(reload.output) \(reload.errors)")
        #expect(try statuses() == [401, 201])
        #expect(try gateway.stop() == .exit(0))
    }
}
