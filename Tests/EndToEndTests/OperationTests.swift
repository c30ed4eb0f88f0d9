import Foundation
import JSON
import ProcessTesting
import Testing

/// What those who run a gateway see and do: its log, its credentials, its keys, pages that may call.
@Suite(.waits) struct OperationTests {
    @Test func everyLogLineIsOneObject() throws {
        let gateway = try GatewayProcess(in: Setting.workspace(forms: ["memo": Setting.memo]))
        let id = "e2e.log-1"
        _ = try gateway.request(
            "POST", "/v1/forms/memo/send/x", ["Content-Type": "application/json", "X-Request-Id": id],
            body: #"{"fields":{"note":"x"}}"#)
        _ = try gateway.request("GET", "/nowhere")
        #expect(try gateway.stop() == .exit(0))
        let lines = gateway.log.split(separator: "\n").filter { !$0.hasPrefix("warning: ") }
        let objects = try lines.map { try JSONValue(text: String($0)) }
        for object in objects {
            #expect(object.string("time")?.hasSuffix("Z") == true && object.string("level") != nil)
            #expect(object.string("message") != nil)
        }
        let line = try #require(objects.first { $0.string("requestId") == id })
        #expect(line.string("method") == "POST" && line.string("route") == "/v1/forms/{form}/send/{path}")
        #expect(line["status"]?.text == "200" && line["bytesIn"]?.text == "23" && line["error"] == nil)
        #expect(objects.contains { $0["status"]?.text == "404" && $0["error"]?.text == "404" })
    }

    /// The admin listener takes no ambiguous request either.
    @Test func repeatedHeadersAreRefusedByTheAdminListener() throws {
        let gateway = try Setting.shared.get()
        for (lines, status) in [("Authorization: a\r\n", 200), ("Authorization: a\r\nAuthorization: a\r\n", 400)] {
            let connection = try Connection(port: gateway.adminPort)
            try connection.send("GET /health/ready HTTP/1.1\r\nHost: a\r\n\(lines)\r\n")
            #expect(try connection.receive().status == status)
        }
    }

    /// Who has just failed to read its database is not ready.
    @Test func aDamagedDatabaseIsNotReady() throws {
        let workspace = try Setting.workspace()
        var gateway = try GatewayProcess(in: workspace)
        var aliases: [String] = []
        for batch in 0..<20 {
            let items = (0..<20).map { #"{"value":"\#(batch) \#($0)","format":"UUID"}"# }.joined(separator: ",")
            let made = try gateway.vault("POST", "/aliases", #"{"data":[\#(items)]}"#).json()["data"]?.array
            aliases += (made ?? []).compactMap { $0["aliases"]?.array?.first?.string("alias") }
        }
        #expect(try gateway.stop() == .exit(0))
        let path = workspace.path(of: "data/vault.db")
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        // Leaves of the early values: behind the roots of all tables, and before what is read at start.
        #expect(bytes.count > 4_096 * 29)
        for index in 4_096 * 20..<4_096 * 26 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        gateway = try GatewayProcess(in: workspace)
        #expect(try gateway.admin("GET", "/health/ready").status == 200)
        let isFound = try aliases.contains { try gateway.vault("GET", "/aliases/\($0)").status == 503 }
        #expect(isFound)
        for _ in 0..<2 {
            let ready = try gateway.admin("GET", "/health/ready")
            #expect(ready.status == 503 && ready.bodyText.contains("damaged"))
        }
        #expect(try gateway.admin("GET", "/health/live").status == 200)
        // Storing what needs no page that is damaged, or none at all, is another matter.
        let code = #"{"data":[{"value":"1","format":"UUID","storage":"VOLATILE"}]}"#
        #expect(try gateway.vault("POST", "/aliases", code).status == 201)
    }

    /// What begins with the mark of some editors is the same secret, as in a file.
    @Test(arguments: ["", "\u{FEFF}"]) func aSecretMayStandAsAHash(mark: String) throws {
        let workspace = try Setting.workspace()
        let made = try Command.cloakroom(["credential"], input: mark + "the secret\n", in: workspace)
        #expect(made.end == .exit(0) && !made.output.contains("the secret"))
        let hash = try #require(made.lines.first?.split(separator: " ").last)
        let credential =
            "credentials: [{name: hashed, username: hashed, secret: {hash: \"\(hash)\"}, scopes: [\"aliases:create\"]}]"
        let configuration =
            Setting.base.prefix(upTo: try #require(Setting.base.range(of: "credentials:")).lowerBound) + credential
        try workspace.write(String(configuration), to: "cloakroom.yaml")
        let gateway = try GatewayProcess(in: workspace)
        func status(_ authorization: String) throws -> Int {
            try gateway.request(
                "POST", "/aliases", ["Content-Type": "application/json", "Authorization": authorization],
                body: #"{"data":[{"value":"v","format":"UUID"}]}"#
            ).status
        }
        #expect(try status("Bearer the secret") == 201 || status("Basic aGFzaGVkOnRoZSBzZWNyZXQ=") == 201)
        #expect(try status("Basic aGFzaGVkOnRoZSBzZWNyZXQ=") == 201 && status("Basic aGFzaGVkOnRoZSBzZWNyZXU=") == 401)
        #expect(try status("Basic bm9ib2R5OnRoZSBzZWNyZXQ=") == 401 && status("Bearer \(hash)") == 401)
    }

    /// No hash is made of what a file could not give, and no secret in place of one that was meant to be given.
    @Test(
        arguments: [
            ("\n", "is empty"), ("\nthe secret of the shop\n", "is empty"), ("\u{FEFF}\n", "is empty"),
            ("the secret\0 of the shop\n", "control characters"), ("the secret\tof the shop\n", "control characters"),
            (String(repeating: "a", count: 1_025) + "\n", "1,024 bytes"), ("", nil),
        ] as [(String, String?)])
    func whatIsNoSecretHasNoHash(input: String, fault: String?) throws {
        let made = try Command.cloakroom(["credential"], input: input, in: try Setting.workspace())
        #expect(made.end == .exit(fault == nil ? 0 : 1) && made.output.isEmpty == (fault != nil))
        if let fault { #expect(made.errors.contains(fault)) } else { #expect(made.output.hasPrefix("secret: ")) }
    }

    /// Values outlive the keys that they were first sealed with.
    @Test func keysAreRotatedAndValuesStay() throws {
        let workspace = try Setting.workspace()
        let keys = ["--config", workspace.path(of: "cloakroom.yaml")]
        var gateway = try GatewayProcess(in: workspace)
        let body = #"{"data":[{"value":"older than its key","format":"UUID"}]}"#
        let made = try gateway.vault("POST", "/aliases", body).json()["data"]?.array?.first
        let alias = try #require(made?["aliases"]?.array?.first?.string("alias"))
        #expect(try gateway.stop() == .exit(0))
        for command in ["rotate", "rewrap", "status"] {
            let run = try Command.cloakroom(["keys", command] + keys, in: workspace)
            #expect(run.end == .exit(0), "\(run.errors)")
            if command == "rotate" {
                #expect(run.lines.filter { $0.contains(" active ") }.count == 1)
                #expect(run.lines.filter { $0.contains(" retired ") }.count == 1)
            } else if command == "status" {
                // Nothing is under the old key any more: it is gone.
                #expect(run.lines.count == 1 && run.lines.first?.contains(" active ") == true)
            }
        }
        gateway = try GatewayProcess(in: workspace)
        let revealed = try gateway.vault("GET", "/aliases/\(alias)").json()["data"]?.array?.first
        #expect(revealed?.string("value") == "older than its key")
        #expect(try gateway.vault("POST", "/aliases", body).bodyText.contains(alias))
    }

    @Test func pagesOfNamedOriginsMayCall() throws {
        let form = Setting.memo + "\nallowedOrigins: [\"https://shop.example\"]\n"
        let gateway = try GatewayProcess(in: Setting.workspace(forms: ["memo": form]))
        func preflight(_ origin: String) throws -> Message {
            try gateway.request(
                "OPTIONS", "/v1/forms/memo/send/x",
                [
                    "Origin": origin, "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "content-type",
                ])
        }
        let allowed = try preflight("https://shop.example")
        #expect(allowed.status == 204 && allowed["Access-Control-Allow-Origin"] == "https://shop.example")
        #expect(allowed["Access-Control-Allow-Methods"]?.contains("POST") == true && allowed["Vary"] == "Origin")
        #expect(allowed["Access-Control-Allow-Headers"]?.lowercased().contains("content-type") == true)
        #expect(allowed["Access-Control-Allow-Credentials"] == nil)
        #expect(try preflight("https://shop.example.evil")["Access-Control-Allow-Origin"] == nil)
        for body in [#"{"fields":{"note":"x"}}"#, "{"] {
            let answer = try gateway.request(
                "POST", "/v1/forms/memo/validate",
                ["Content-Type": "application/json", "Origin": "https://shop.example"], body: body)
            #expect(answer["Access-Control-Allow-Origin"] == "https://shop.example")
            #expect(answer["Access-Control-Expose-Headers"]?.contains("X-Request-Id") == true)
        }
    }

    /// A second process on the same vault would make its own aliases for the same values: it does not start, while
    /// commands about keys reach the first one.
    @Test func aVaultBelongsToOneProcess() throws {
        let workspace = try Setting.workspace()
        let first = try GatewayProcess(in: workspace)
        let body = #"{"data":[{"value":"v","format":"UUID"}]}"#
        let made = try first.vault("POST", "/aliases", body).json()["data"]?.text
        let file = ["--config", workspace.path(of: "cloakroom.yaml")]
        let second = try Command.cloakroom(["serve"] + file, in: workspace)
        #expect(second.end == .exit(1) && second.output.isEmpty && second.errors.contains("in use"))
        let rotated = try Command.cloakroom(["keys", "rotate"] + file, in: workspace)
        #expect(rotated.end == .exit(0) && rotated.output.contains(" active "))
        #expect(try first.vault("POST", "/aliases", body).json()["data"]?.text == made)
        #expect(try first.stop() == .exit(0))
    }

    /// An unmounted disk is no reason to begin a new live vault; in the sandbox it is a way to begin anew.
    @Test(arguments: ["live", "sandbox"])
    func aVaultThatIsGoneIsNotMadeAnew(environment: String) throws {
        var configuration = Setting.base.replacing("vault: {", with: "vault: {environment: \(environment), ")
        // In the environment live no secret stands in the configuration.
        for name in ["dev", "writer", "reader"] {
            configuration = configuration.replacing("secret: \(name)-secret", with: "secret: {file: \(name).secret}")
        }
        let workspace = try Setting.workspace(configuration)
        for (name, secret) in [("dev", "not-dev-secret"), ("writer", "writer-secret"), ("reader", "reader-secret")] {
            try workspace.write(secret, to: "\(name).secret")
        }
        let first = try GatewayProcess(in: workspace)
        let body = #"{"data":[{"value":"a","format":"UUID"}]}"#
        #expect(try first.vault("POST", "/aliases", body, as: .writer).status == 201)
        #expect(try first.stop() == .exit(0))
        for name in ["vault.db", "vault.db-wal", "vault.db-shm"] {
            try? FileManager.default.removeItem(atPath: workspace.path(of: "data/\(name)"))
        }
        let serve = ["serve", "--config", workspace.path(of: "cloakroom.yaml")]
        // A file without content is one that was cut, and no new vault.
        try workspace.write("", to: "data/vault.db")
        let empty = try Command.cloakroom(serve, in: workspace)
        #expect(empty.end == .exit(1) && empty.errors.contains("there is no vault at"), "\(empty.errors)")
        try FileManager.default.removeItem(atPath: workspace.path(of: "data/vault.db"))
        guard environment == "live" else {
            return #expect(try GatewayProcess(in: workspace).admin("GET", "/health/ready").status == 200)
        }
        let again = try Command.cloakroom(serve, in: workspace)
        #expect(again.end == .exit(1) && again.errors.contains("there is no vault at"), "\(again.errors)")
        #expect(!FileManager.default.fileExists(atPath: workspace.path(of: "data/vault.db")))
    }
}
