import Dispatch
import Foundation
import ProcessTesting
import Synchronization
import Testing

/// A key that lives never leads to a second request to an upstream (docs/reference/proxy.md section 8).
@Suite(.waits) struct RetryTests {
    private static let form = "form: f\nroute: r\naccess: {send: credential}\nfields: [{name: note}]"

    private static func workspace(
        _ upstream: Upstream, _ settings: String = "", guarding: String = "report"
    ) throws -> Workspace {
        let route =
            "routes: [{name: r, kind: upstream, url: \"http://127.0.0.1:\(upstream.port)\", allowPlaintext: true, methods: [POST, PUT]}]"
        return try Setting.workspace(
            Setting.base + route + "\n" + settings, forms: ["f": "guard: {pan: \(guarding)}\n\(form)"])
    }

    private static func send(
        _ gateway: GatewayProcess, _ method: String = "POST", key: String = "order 17", path: String = "charges"
    ) throws -> Message {
        let headers = [
            "Content-Type": "application/json", "Idempotency-Key": key, "Authorization": User.dev.authorization,
        ]
        return try gateway.request(method, "/v1/forms/f/send/\(path)", headers, body: #"{"fields":{"note":"a"}}"#)
    }

    /// Of several requests under one key that come at once, the one that is carried out has the session's use: the others get its response, or
    /// are told that it runs.
    @Test func requestsUnderOneKeyTakeOneUse() throws {
        let upstream = try Upstream { upstream, connection in
            while true {
                _ = try upstream.receive(connection)
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npaid")
            }
        }
        let workspace = try Self.workspace(upstream)
        let configuration = workspace.read("cloakroom.yaml")
        let mayCreate = configuration.replacing("\"routes:send\"]", with: "\"routes:send\", \"sessions:create\"]")
        try workspace.write(mayCreate, to: "cloakroom.yaml")
        try workspace.write(Self.form.replacing("send: credential", with: "send: session"), to: "forms/f.yaml")
        let gateway = try GatewayProcess(in: workspace)
        for round in 0..<40 {
            let made = try gateway.post("/v1/sessions", #"{"form":"f","maxRequests":1}"#, as: .dev)
            let session = try #require(try made.json().string("session"), "\(made.bodyText)")
            let headers = [
                "Content-Type": "application/json", "Idempotency-Key": "\(round)", "Authorization": "Bearer \(session)",
            ]
            let statuses = Mutex<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: 3) { _ in
                let response = try? gateway.request(
                    "POST", "/v1/forms/f/send/pay", headers, body: #"{"fields":{"note":"a"}}"#)
                statuses.withLock { $0.append(response?.status ?? 0) }
            }
            let found = statuses.withLock { $0 }
            #expect(found.contains(200) && found.allSatisfy { $0 == 200 || $0 == 409 }, "\(found)")
        }
        #expect(upstream.requests.count == 40)
    }

    /// Killed between the upstream's request and its response.
    @Test func aKilledProcessLeavesItsClaimBehind() throws {
        let arrived = DispatchSemaphore(value: 0)
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            arrived.signal()
            // Until the gateway is gone.
            _ = try? upstream.receive(connection)
        }
        let workspace = try Self.workspace(upstream)
        let first = try GatewayProcess(in: workspace)
        let caller = Thread { _ = try? Self.send(first) }
        caller.start()
        #expect(arrived.wait(timeout: .now() + 30) == .success)
        first.process.signal(SIGKILL)
        #expect(try first.process.wait() == .signal(SIGKILL))
        let second = try GatewayProcess(in: workspace)
        for _ in 0..<2 {
            let repetition = try Self.send(second)
            #expect(repetition.status == 409 && repetition["Retry-After"] == nil)
            #expect(try repetition.json()["error"]?.string("type") == "answerTooLargeToKeep")
        }
        #expect(upstream.requests.count == 1)
    }

    /// The response can't be stored, because the disk is full by then.
    @Test func onAFullDiskTheClaimStays() throws {
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            // Room for the claim was there; for the response there is none.
            let filled = Self.fill.withLock { $0 }
            try filled?()
            let body = String(repeating: "x", count: 100_000)
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        }
        let workspace = try Self.workspace(upstream)
        let gateway = try GatewayProcess(in: workspace)
        @Sendable func limitFiles(_ limit: String) throws {
            _ = try Command("/usr/bin/prlimit", ["--pid", "\(gateway.process.pid)", "--fsize=\(limit)"], in: workspace)
        }
        Self.fill.withLock { $0 = { try limitFiles("1:") } }
        defer { Self.fill.withLock { $0 = nil } }
        #expect(try Self.send(gateway).status == 200)
        Self.fill.withLock { $0 = nil }
        // While nothing can be written, no new key is claimed, and so nothing is sent.
        #expect(try Self.send(gateway, key: "order 18").status == 503)
        #expect([409, 503].contains(try Self.send(gateway).status))
        try limitFiles("unlimited:")
        try eventually("keys are claimed again") { try Self.send(gateway, key: "order 19").status == 200 }
        #expect(try Self.send(gateway).status == 409)
        #expect(upstream.requests.count == 2)
    }

    private static let fill = Mutex<(@Sendable () throws -> Void)?>(nil)

    /// Without a key a PUT is repeated when its pooled connection is closed instead of answered.
    @Test func aRequestWithAKeyIsSentOnce() throws {
        let upstream = try Upstream { upstream, connection in
            let target = try upstream.receive(connection).target
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\n\r\n\(target)")
            _ = try upstream.receive(connection)
        }
        let gateway = try GatewayProcess(in: Self.workspace(upstream), ["--set", "server.workers=1"])
        #expect(try Self.send(gateway, "PUT", key: "1", path: "first").status == 200)
        for _ in 0..<2 {
            let response = try Self.send(gateway, "PUT", key: "2", path: "second")
            #expect(response.status == 502)
            #expect(try response.json()["error", "code"]?.text == "-1005")
        }
        #expect(upstream.requests.filter { $0.target == "/second" }.count == 1)
    }

    /// The upstream has acted, although the caller gets an error: its response is withheld by the guard. As a whole, and in the middle
    /// of a body that would otherwise be streamed.
    @Test(arguments: [0, 300_000])
    func aWithheldResponseIsAResponse(filling: Int) throws {
        let body = "{\"note\":\"\(String(repeating: "x ", count: filling))\",\"card\":\"5555555555554444\"}"
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n\(body)")
        }
        let workspace = try Self.workspace(upstream, "", guarding: "refuse")
        let first = try GatewayProcess(in: workspace)
        let withheld = try Self.send(first)
        #expect(withheld.status == 502)
        #expect(try withheld.json()["error"]?.string("type") == "answerWithheld")
        func expectRepetition(at gateway: GatewayProcess) throws {
            let repetition = try Self.send(gateway)
            #expect([409, 502].contains(repetition.status) && !repetition.bodyText.contains("5555555555554444"))
            #expect(repetition["Retry-After"] == nil)
        }
        try expectRepetition(at: first)
        _ = try first.stop()
        try expectRepetition(at: GatewayProcess(in: workspace))
        #expect(upstream.requests.count == 1)
    }

    /// `routeId` fixed on the route.
    @Test func aFixedRouteIDIsNotTheCallersToChange() throws {
        let id = "7f3c0a52-41de-4b0c-9a77-0f5d2c9b6e11"
        let route = "routes: [{name: r, kind: vgs, tenantId: tntk2d7, routeId: \(id)}]\n"
        let form = Self.form.replacing("{send: credential}", with: "{send: public}")
        let gateway = try GatewayProcess(in: Setting.workspace(Setting.base + route, forms: ["f": form]))
        let headers = ["Content-Type": "application/json", "VGS-Route-Id": id]
        let response = try gateway.request("POST", "/v1/forms/f/send/post", headers, body: #"{"fields":{"note":"a"}}"#)
        #expect(response.status == 400)
        #expect(try response.json()["error"]?.string("type") == "malformedRequest")
    }
}
