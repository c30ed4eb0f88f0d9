import Dispatch
import Foundation
import JSON
import PostgresTesting
import ProcessTesting
import Testing

/// A process that is told to end while its database stands still.
@Suite(.waits, .serialized) struct EndingTests {
    /// Time to drain, and what a process may take beyond it: so much is announced to the service manager.
    private static let (drain, most) = (1, 15)

    private static func workspace(_ url: String, _ upstream: Upstream) throws -> Workspace {
        let base = Setting.base.replacing(
            "vault: {sqlite: {path: data/vault.db}, masterKey: {file: data/master.key, generate: true}}",
            with:
                "vault: {store: postgres, postgres: {url: \"\(url)\", pool: 4}, masterKey: {file: master.key}}\naudit: {file: data/audit.log}"
        )
        let url = "http://127.0.0.1:\(upstream.port)"
        let route = "routes: [{name: r, kind: upstream, url: \"\(url)\", allowPlaintext: true}]"
        let form = "form: f\nroute: r\nfields: [{name: note, tokenization: {}}]"
        let workspace = try Setting.workspace(base + route, forms: ["f": form])
        try workspace.write(String(repeating: "0123456789abcdef", count: 4), to: "master.key")
        chmod(workspace.path(of: "master.key"), 0o600)
        return workspace
    }

    private static func gateway(_ workspace: Workspace) throws -> GatewayProcess {
        try GatewayProcess(in: workspace, ["--set", "server.timeouts.drain=\(drain)s"])
    }

    private static func request(_ key: String) -> String {
        let body = #"{"fields":{"note":"\#(key)"}}"#
        return
            "POST /v1/forms/f/send HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nIdempotency-Key: \(key)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// The gateway ends in time.
    private func end(_ gateway: GatewayProcess) throws {
        let began = ContinuousClock.now
        #expect(try gateway.stop() == .exit(0))
        #expect(ContinuousClock.now - began < .seconds(Self.drain + Self.most))
    }

    /// Who waits for the database is told so, and the log of what they got. Nothing was done under their keys.
    ///
    /// - Parameter hasConnections: whether the gateway has connections, or waits for those that it makes.
    @Test(arguments: [true, false])
    func whoWaitsIsTold(hasConnections: Bool) throws {
        let upstream = try Upstream { upstream, connection in
            while true {
                _ = try upstream.receive(connection)
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
            }
        }
        let server = try PostgresServer()
        defer { server.remove() }
        let url = try server.database()
        let workspace = try Self.workspace(url + "?connect_timeout=60", upstream)
        let keys = ["a", "b", "c", "d"]
        do {
            let gateway = try Self.gateway(workspace)
            let first = try Connection(port: gateway.port)
            try first.send(Self.request("first"))
            #expect(try first.receive().status == 200)
            if !hasConnections {
                let others = "datname = current_database() AND pid <> pg_backend_pid()"
                try server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(others)", in: url)
            }
            server.pause(true)
            let clients = try keys.map { _ in try Connection(port: gateway.port) }
            for (client, key) in zip(clients, keys) { try client.send(Self.request(key)) }
            usleep(300_000)
            try end(gateway)
            for client in clients {
                let response = try client.receive()
                #expect(response.status == 503 && response["Connection"] == "close", "\(response.bodyText)")
                #expect(gateway.log.contains(#""bytesOut":\#(response.bodyText.utf8.count),"#), "\(gateway.log)")
            }
            server.pause(false)
        }
        let next = try Self.gateway(workspace)
        for key in keys {
            let client = try Connection(port: next.port)
            try client.send(Self.request(key))
            #expect(try client.receive().status == 200)
        }
        #expect(upstream.requests.count == 1 + keys.count)
        try end(next)
    }

    /// What an upstream has got before the database stood still it never gets again under the same key.
    @Test func whatWasSentIsNotSentAgain() throws {
        let go = DispatchSemaphore(value: 0)
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            go.wait()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
        }
        let server = try PostgresServer()
        defer { server.remove() }
        let workspace = try Self.workspace(server.database(), upstream)
        do {
            let gateway = try Self.gateway(workspace)
            let client = try Connection(port: gateway.port)
            try client.send(Self.request("a"))
            try eventually("the upstream has the request") { upstream.requests.count == 1 }
            server.pause(true)
            go.signal()
            usleep(300_000)
            try end(gateway)
            let response = try client.receive()
            #expect(response.status == 200 && response.bodyText == "done")
            server.pause(false)
        }
        let next = try Self.gateway(workspace)
        let client = try Connection(port: next.port)
        try client.send(Self.request("a"))
        #expect(try client.receive().status == 409)
        #expect(upstream.requests.count == 1)
        try end(next)
    }
}
