import Foundation
import JSON
import PostgresTesting
import ProcessTesting
import Testing

/// Gateways that share a vault in a PostgreSQL database, as on several machines.
@Suite("A shared vault", .waits) struct SharedVaultTests {
    private static let card = #"{"data":[{"value":"4111111111111111","format":"FPE_SIX_T_FOUR"}]}"#

    /// A workspace on this database, with the master key that all of them have.
    private func workspace(_ url: String, key: String = String(repeating: "0123456789abcdef", count: 4)) throws
        -> Workspace
    {
        let base = Setting.base.replacing(
            "vault: {sqlite: {path: data/vault.db}, masterKey: {file: data/master.key, generate: true}}",
            with:
                "vault: {store: postgres, postgres: {url: \"\(url)\", pool: 4}, masterKey: {file: master.key}}\naudit: {file: data/audit.log}"
        )
        let workspace = try Setting.workspace(base, forms: Setting.deliveredForms())
        try workspace.write(key, to: "master.key")
        chmod(workspace.path(of: "master.key"), 0o600)
        return workspace
    }

    private func alias(_ gateway: GatewayProcess, _ body: String = card) throws -> String {
        let made = try gateway.vault("POST", "/aliases", body).json()["data"]?.array?.first
        return try #require(made?["aliases"]?.array?.first?.string("alias"))
    }

    private func value(of alias: String, _ gateway: GatewayProcess) throws -> String? {
        try gateway.vault("GET", "/aliases/\(alias)").json()["data"]?.array?.first?.string("value")
    }

    @Test func whatOneMakesAllReveal() throws {
        let url = try PostgresServer.shared().database()
        let (first, second) = (try GatewayProcess(in: workspace(url)), try GatewayProcess(in: workspace(url)))
        let alias = try alias(first)
        #expect(try value(of: alias, second) == "4111111111111111")
        #expect(try self.alias(second) == alias)
        #expect(try second.vault("DELETE", "/aliases/\(alias)").status == 204)
        #expect(try first.vault("GET", "/aliases/\(alias)").status == 404)
        // A form's tokens come from the same vault; a volatile one lives in the process that has made it.
        let form = #"{"fields":{"card_number":"4111111111111111","card_holder":"Joe","exp_date":"12/39","cvc":"123"}}"#
        let tokens = try first.post("/v1/forms/checkout/tokens", form).json()["data"]
        let card = try #require(tokens?.string("card_number"))
        let cvc = try #require(tokens?.string("cvc"))
        #expect(try value(of: card, second) == "4111111111111111")
        #expect(try value(of: cvc, first) == "123")
        #expect(try second.vault("GET", "/aliases/\(cvc)").status == 404)
        for gateway in [first, second] {
            #expect(try gateway.admin("GET", "/health/ready").status == 200)
            #expect(try gateway.stop() == .exit(0))
        }
    }

    /// Servers may log what they are asked, with all parameters. What the guard finds is no question to ask them: a number in a note, a path, a
    /// header or a response, whatever is then done about it. An alias that stands there is still known.
    @Test func theDatabaseIsNotToldWhatTheGuardFinds() throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let url = try server.database()
        try server.query("ALTER ROLE ALL SET log_statement = 'all'", in: url)
        let number = "4539578763621486"
        let workspace = try workspace(url)
        for action in ["report", "mask", "refuse"] {
            try workspace.write(
                """
                form: \(action)
                route: echo
                guard: {pan: \(action)}
                fields: [{name: note}, {name: card, type: cardNumber, tokenization: {}}]
                """, to: "forms/\(action).yaml")
        }
        let gateway = try GatewayProcess(in: workspace)
        for (action, shown) in [("report", number), ("mask", "4539••••••••1486"), ("refuse", nil)] {
            let form = #"{"fields":{"note":"my card is \#(number)"},"extraData":{"a":"\#(number)"}}"#
            for call in ["tokens", "send/x"] {
                let response = try gateway.post("/v1/forms/\(action)/\(call)", form)
                #expect((response.status == 400) == (shown == nil), "\(action) \(call): \(response.bodyText)")
            }
            _ = try gateway.post("/v1/forms/\(action)/send/\(number)", #"{"fields":{"note":"x"}}"#)
            // An alias is no card number.
            let card = #"{"fields":{"card":"4111111111111111"}}"#
            let tokens = try gateway.post("/v1/forms/report/tokens", card).json()["data"]
            let alias = try #require(tokens?.string("card"))
            let again = try gateway.post("/v1/forms/\(action)/send/x", #"{"fields":{"note":"my alias is \#(alias)"}}"#)
            #expect(again.status == 200 && again.bodyText.contains(alias), "\(action): \(again.bodyText)")
        }
        let log = server.log
        let hexadecimal = number.utf8.map { String($0, radix: 16) }.joined()
        #expect(log.contains("cloakroom_alias") && log.contains("parameters:"))
        #expect(!log.contains(number) && !log.contains(hexadecimal))
        // Eight digits, and the last four, as its alias shows them.
        #expect(log.contains(hexadecimal.prefix(16)) && !log.contains(hexadecimal.prefix(18)))
        #expect(log.contains("'\\x\(hexadecimal.suffix(8))'") && !log.contains(hexadecimal.suffix(10)))
        #expect(try gateway.stop() == .exit(0))
    }

    /// What looks like card numbers is one question to the database, however much it is.
    @Test func theGuardLooksUpManyNumbersTogether() throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let url = try server.database()
        try server.query("ALTER ROLE ALL SET log_statement = 'all'", in: url)
        let workspace = try workspace(url)
        try workspace.write(
            """
            form: mask
            route: echo
            guard: {pan: mask}
            fields: [{name: card, type: cardNumber, tokenization: {}}]
            """, to: "forms/mask.yaml")
        let gateway = try GatewayProcess(in: workspace)
        let cards = [
            "4111111111111111", "4012888888881881", "4222222222222220", "5105105105105100", "378282246310005",
            "371449635398431", "6011111111111117", "3530111333300000", "30569309025904", "5555555555554444",
        ]
        let aliases = try cards.map { card in
            let made = try gateway.post("/v1/forms/mask/tokens", #"{"fields":{"card":"\#(card)"}}"#)
            return try #require(made.json()["data"]?.string("card"))
        }
        let questions = { server.log.components(separatedBy: "length(alias)").count - 1 }
        let before = questions()
        let number = "4539578763621486"
        let list = (aliases + aliases).map { "\"\($0)\"" }.joined(separator: ",")
        let sent = try gateway.post(
            "/v1/forms/mask/send/x", #"{"fields":{},"extraData":{"a":[\#(list),"\#(number)"]}}"#)
        #expect(sent.status == 200 && sent.bodyText.contains(#"[\#(list),"************1486"]"#), "\(sent.bodyText)")
        #expect(questions() == before + 1)
        #expect(!server.log.contains(number.utf8.map { String($0, radix: 16) }.joined()))
        #expect(try gateway.stop() == .exit(0))
    }

    /// Other processes know nothing of the VOLATILE values of one: in a format of few aliases there is none for them.
    @Test func aCodeWhoseFormatHasFewAliases() throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let workspace = try workspace(server.database())
        try workspace.write(
            """
            form: n
            route: echo
            access: {aliases: public}
            fields: [{name: code, type: cvc, tokenization: {format: NUM_LENGTH_PRESERVING}}, {name: other, type: cvc, tokenization: {}}]
            """, to: "forms/n.yaml")
        let gateway = try GatewayProcess(in: workspace)
        for call in ["aliases", "tokens", "send/x"] {
            let response = try gateway.post("/v1/forms/n/\(call)", #"{"fields":{"code":"321"}}"#)
            #expect(response.status == 422, "\(call): \(response.bodyText)")
            #expect(response.bodyText.contains("ALIAS_FORMAT_VALIDATION_ERROR"))
            #expect(try gateway.post("/v1/forms/n/\(call)", #"{"fields":{"other":"321"}}"#).status < 300)
        }
        #expect(try gateway.stop() == .exit(0))
    }

    /// A health check says so in time, however long the database stands still.
    @Test func aDatabaseThatStandsStillIsNotReady() throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let gateway = try GatewayProcess(in: workspace(server.database()))
        #expect(try gateway.admin("GET", "/health/ready").status == 200)
        server.pause(true)
        for _ in 0..<2 {
            let began = ContinuousClock.now
            let response = try gateway.admin("GET", "/health/ready")
            #expect(response.status == 503 && response.bodyText.contains("has not responded for 2 seconds"))
            #expect(ContinuousClock.now - began < .seconds(15))
        }
        #expect(try gateway.admin("GET", "/health/live").status == 200)
        server.pause(false)
        try eventually("it is ready") { try gateway.admin("GET", "/health/ready").status == 200 }
        #expect(try value(of: alias(gateway), gateway) == "4111111111111111")
    }

    /// A process that is killed takes nothing along but what it had in memory.
    @Test func whatWasAnsweredOutlivesAProcess() throws {
        let url = try PostgresServer.shared().database()
        let (first, second) = (try GatewayProcess(in: workspace(url)), try GatewayProcess(in: workspace(url)))
        var made: [String] = []
        for number in 0..<20 {
            made.append(try alias(first, #"{"data":[{"value":"value \#(number)","format":"UUID"}]}"#))
        }
        first.process.signal(SIGKILL)
        _ = try first.process.wait()
        for (number, alias) in made.enumerated() { #expect(try value(of: alias, second) == "value \(number)") }
    }

    @Test func aDatabaseThatIsGoneIsTold() throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let gateway = try GatewayProcess(in: workspace(server.database()))
        let alias = try alias(gateway)
        server.kill()
        let refused = try gateway.vault("POST", "/aliases", #"{"data":[{"value":"another","format":"UUID"}]}"#)
        #expect(refused.status == 503)
        #expect(refused["Retry-After"] != nil)
        #expect(try gateway.vault("GET", "/aliases/\(alias)").status == 503)
        #expect(try gateway.admin("GET", "/health/ready").status == 503)
        #expect(try gateway.admin("GET", "/health/live").status == 200)
        let form = #"{"fields":{"card_number":"4111111111111111"}}"#
        #expect(try gateway.post("/v1/forms/checkout/validate", form).status == 200)
        try server.start()
        try eventually("it is ready again") { try gateway.admin("GET", "/health/ready").status == 200 }
        // The health check has a connection: those that rest because theirs could not be made go on with it.
        for _ in 0..<8 { #expect(try value(of: alias, gateway) == "4111111111111111") }
        #expect(try gateway.stop() == .exit(0))
        // Why, in libpq's words, which name the server; a URL may hold a password.
        let told = gateway.log.split(separator: "\n").filter {
            $0.contains("a connection to the database cannot be made")
        }
        #expect(!told.isEmpty && told.allSatisfy { $0.contains("connection to server at") }, "\(gateway.log)")
        #expect(!gateway.log.contains("postgresql://"))
    }

    @Test func keysAreWorkedOnBesideThoseThatServe() throws {
        let url = try PostgresServer.shared().database()
        let (first, second) = (try GatewayProcess(in: workspace(url)), try GatewayProcess(in: workspace(url)))
        let alias = try alias(first)
        // By the process of the same configuration, and by nobody's, on a machine of its own.
        let asked = [
            "--config", first.workspace.path(of: "cloakroom.yaml"), "--set",
            "admin.listen=127.0.0.1:\(first.adminPort)",
        ]
        let own = try workspace(url)
        let apart = ["--config", own.path(of: "cloakroom.yaml")]
        #expect(try Command.cloakroom(["keys", "rotate"] + asked, in: first.workspace).lines.count == 2)
        #expect(first.workspace.read("data/audit.log").contains("keys.rotate"))
        let rotated = try Command.cloakroom(["keys", "rotate"] + apart, in: own)
        #expect(rotated.end == .exit(0), "\(rotated.errors)")
        #expect(rotated.lines.count == 3)
        #expect(try value(of: alias, second) == "4111111111111111")
        let late = try self.alias(first, #"{"data":[{"value":"late","format":"UUID"}]}"#)
        #expect(try value(of: late, second) == "late")
        // The other process may not know the new keys yet.
        let rewrapped = try Command.cloakroom(["keys", "rewrap"] + asked, in: first.workspace)
        #expect(rewrapped.end == .exit(1) && rewrapped.output.contains("other processes may use older keys"))
        #expect(try value(of: late, second) == "late")
        let copy = try Command.cloakroom(["backup", "copy.db"] + asked, in: first.workspace)
        #expect(copy.end == .exit(1) && copy.errors.contains("pg_dump"))
    }

    /// Whoever repeats a request asks, as often as not, another process, and before the first has answered.
    @Test func aRepeatedRequestIsOneForAllProcesses() throws {
        let statuses = ["/slow": 200, "/fine": 200, "/broken": 500]
        let isAsked = DispatchSemaphore(value: 0)
        let upstream = try Upstream { upstream, connection in
            let request = try upstream.receive(connection)
            if request.target == "/slow" { isAsked.wait() }
            try connection.send(
                "HTTP/1.1 \(statuses[request.target] ?? 404) X\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")
        }
        let url = try PostgresServer.shared().database()
        let gateways = try (0..<2).map { _ in
            let own = try workspace(url)
            let route =
                "routes: [{name: up, kind: upstream, url: \"http://127.0.0.1:\(upstream.port)/\", allowPlaintext: true}]"
            try own.write(own.read("cloakroom.yaml") + "\n" + route, to: "cloakroom.yaml")
            let form = Setting.memo.replacing("route: echo", with: "route: up\naccess: {send: credential}")
            try own.write(form, to: "forms/memo.yaml")
            return try GatewayProcess(in: own)
        }
        @Sendable func send(_ gateway: Int, _ path: String, note: String = "a") throws -> Message {
            let headers = [
                "Content-Type": "application/json", "Idempotency-Key": "order \(path)",
                "Authorization": User.dev.authorization,
            ]
            let body = #"{"fields":{"note":"\#(note)","secret":"s3cr3t"}}"#
            return try gateways[gateway].request("POST", "/v1/forms/memo/send/\(path)", headers, body: body)
        }
        let slow = Thread { _ = try? send(0, "slow") }
        slow.start()
        try eventually("the upstream is asked") { upstream.requests.contains { $0.target == "/slow" } }
        #expect(try send(1, "slow").status == 409)
        #expect(try send(1, "slow", note: "b").status == 422)
        isAsked.signal()
        try eventually("it is answered") { try send(1, "slow")["Idempotency-Replayed"] == "true" }
        #expect(try send(0, "fine").status == 200)
        #expect(try send(1, "fine")["Idempotency-Replayed"] == "true")
        #expect(try send(1, "fine", note: "b").status == 422)
        // An error of the upstream is its response, too.
        #expect(try send(0, "broken").status == 500)
        let broken = try send(1, "broken")
        #expect(broken.status == 500 && broken["Idempotency-Replayed"] == "true")
        #expect(upstream.requests.map(\.target).sorted() == ["/broken", "/fine", "/slow"])
    }

    /// The server must be the one that the URL names; the password and the aliases go to no other.
    @Test func theDatabaseIsVerified() throws {
        let place = try Workspace()
        let (own, foreign) = (try Certificates(in: place), try Certificates(in: Workspace()))
        try own.issue("db", for: "DNS:localhost")
        let server = try PostgresServer(certificate: (place.path(of: "db.pem"), place.path(of: "db.key")))
        defer { server.remove() }
        let url = try server.database() + "?sslmode=verify-full&sslrootcert="
        let named = url.replacing("@127.0.0.1:", with: "@localhost:")
        let gateway = try GatewayProcess(in: workspace(named + own.authority))
        #expect(try value(of: alias(gateway), gateway) == "4111111111111111")
        let encrypted =
            "SELECT count(*) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE s.ssl AND a.datname = current_database()"
        #expect(try server.query(encrypted, in: String(named.prefix { $0 != "?" })) != "0\n")
        for refused in [url + own.authority, named + foreign.authority] {
            let other = try workspace(refused)
            let start = try Command.cloakroom(["serve", "--config", other.path(of: "cloakroom.yaml")], in: other)
            #expect(start.end == .exit(1) && start.errors.contains("vault.postgres: the database cannot be used"))
        }
    }

    @Test func anotherMasterKeyIsRefused() throws {
        let url = try PostgresServer.shared().database()
        _ = try alias(try GatewayProcess(in: workspace(url)))
        let other = try workspace(url, key: String(repeating: "fedcba9876543210", count: 4))
        let refused = try Command.cloakroom(["serve", "--config", other.path(of: "cloakroom.yaml")], in: other)
        #expect(refused.end == .exit(1) && refused.errors.contains("master key"))
    }

    @Test func mistakesAreTold() throws {
        func check(_ vault: String) throws -> (mistakes: [String], warnings: String) {
            let base = Setting.base.replacing(
                "vault: {sqlite: {path: data/vault.db}, masterKey: {file: data/master.key, generate: true}}",
                with: vault)
            let workspace = try Setting.workspace(base)
            try workspace.write(String(repeating: "0123456789abcdef", count: 4), to: "master.key")
            chmod(workspace.path(of: "master.key"), 0o600)
            let check = try Command.cloakroom(
                ["check", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
            return (check.lines.filter { $0.contains("cloakroom.yaml:") }, check.errors)
        }
        let url = "postgresql://app@db.example/vault"
        let cases = [
            ("vault: {store: postgres, masterKey: {file: master.key}}", "vault.postgres"),
            ("vault: {store: postgres, postgres: {pool: 4}, masterKey: {file: master.key}}", "vault.postgres.url"),
            (
                "vault: {store: postgres, postgres: {url: 'mysql://db'}, masterKey: {file: master.key}}",
                "vault.postgres.url"
            ),
            (
                "vault: {store: postgres, postgres: {url: '\(url)', pool: 1}, masterKey: {file: master.key}}",
                "vault.postgres.pool"
            ),
            (
                "vault: {store: postgres, postgres: {url: '\(url)', size: 1}, masterKey: {file: master.key}}",
                "vault.postgres.size"
            ),
            (
                "vault: {store: postgres, postgres: {url: {env: NOT_THERE}}, masterKey: {file: master.key}}",
                "vault.postgres.url"
            ),
            (
                "vault: {store: postgres, postgres: {url: {hash: x}}, masterKey: {file: master.key}}",
                "vault.postgres.url"
            ),
            (
                "vault: {store: postgres, postgres: {url: '\(url)'}, masterKey: {file: master.key, generate: true}}",
                "vault.masterKey"
            ),
        ]
        for (vault, path) in cases {
            let mistakes = try check(vault).mistakes
            #expect(mistakes.count == 1 && mistakes.first?.contains(path) == true, "\(vault): \(mistakes)")
        }
        for wrong in [
            "u:100%Secret@db.example", "u:p@ss@db.example", "u:pa/ss@db.example", "u:p?s@db.example", "u:p#s@h",
        ] {
            let found = try check(
                "vault: {store: postgres, postgres: {url: 'postgresql://\(wrong)/vault'}, masterKey: {file: master.key}}"
            )
            #expect(found.mistakes.count == 1 && found.mistakes.first?.contains("percent-encoded") == true, "\(wrong)")
            #expect(!found.mistakes.joined().contains("@") && !found.warnings.contains("@"))
        }
        let open = try check("vault: {store: postgres, postgres: {url: '\(url)'}, masterKey: {file: master.key}}")
        #expect(open.mistakes.isEmpty && open.warnings.contains("sslmode=verify-full"))
        let secret = url.replacing("app@", with: "app:pass-word@") + "?sslmode=verify-full&sslrootcert=/dev/null"
        let inline = try check("vault: {store: postgres, postgres: {url: '\(secret)'}, masterKey: {file: master.key}}")
        #expect(inline.mistakes.isEmpty && inline.warnings.contains("vault.postgres.url: this secret stands"))
        #expect(!inline.warnings.contains("pass-word") && !inline.warnings.contains("believed"))
    }
}
