import Dispatch
import Foundation
import JSON
import ProcessTesting
import Synchronization
import Testing

/// Clients and upstreams that break off anywhere, all at once: every answer is still the answer to its own request, and
/// nothing is left behind.
@Suite(.waits) struct DisorderTests {
    /// Answers with the request's own target, unless it breaks off.
    private static func upstream() throws -> Upstream {
        try Upstream { upstream, connection in
            while true {
                let target = try upstream.receive(connection).target
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\n\r\n\(target)"
                switch Int.random(in: 0..<12) {
                case 0: return
                case 1: return connection.reset()
                case 2: return try connection.send(String(answer.dropLast(3)))
                case 3: return try connection.send(String(answer.prefix(20)))
                case 4: return try connection.send("nonsense\r\n\r\n")
                case 5: for byte in answer.utf8 { try connection.send([byte]) }
                default: try connection.send(answer)
                }
            }
        }
    }

    /// What the clients found.
    private struct Findings {
        var whole = 0
        var failed = 0
        var wrong: [String] = []
    }

    private static func request(_ name: String) -> String {
        let body = #"{"fields":{"note":"\#(name)"}}"#
        return "PUT /v1/forms/f/send/\(name) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// One connection: some requests at once, of which the answers are read, or not, or not to the end.
    private static func visit(_ port: Int, _ name: String, _ findings: borrowing Mutex<Findings>) throws {
        let connection = try Connection(port: port)
        let names = (0..<Int.random(in: 1...4)).map { "\(name)-\($0)" }
        let bytes = Array(names.map(request).joined().utf8)
        switch Int.random(in: 0..<6) {
        case 0:
            connection.reset()
            try connection.send(Array(bytes.prefix(Int.random(in: 1..<bytes.count))))
        case 1: try connection.send(Array(bytes.prefix(Int.random(in: 1..<bytes.count))))
        case 2:
            try connection.send(bytes)
            connection.reset()
        default:
            try connection.send(bytes)
            for name in names {
                guard let answer = try? connection.receive() else {
                    return findings.withLock { $0.wrong.append("\(name): no answer") }
                }
                findings.withLock { findings in
                    switch answer.status {
                    case 200 where answer.bodyText == "/\(name)": findings.whole += 1
                    case 502 where answer["Cloakroom-Upstream-Status"] == nil: findings.failed += 1
                    default: findings.wrong.append("\(name): \(answer.startLine) \(answer.bodyText)")
                    }
                }
            }
        }
    }

    private static let whole =
        "POST /v1/forms/memo/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n"
        + #"{"fields":{}}"#

    /// A connection that its client has given up is given up at once: no time of waiting is needed for it to go.
    @Test(arguments: [true, false], [0, 1, 20, whole.utf8.count - 3, whole.utf8.count, whole.utf8.count * 2 - 3])
    func aClientThatHasGoneHoldsNothing(resets: Bool, length: Int) throws {
        let gateway = try GatewayProcess(
            in: Setting.workspace(forms: ["memo": Setting.memo]),
            ["timeouts.header=1h", "timeouts.body=1h", "timeouts.idle=1h", "workers=1"].flatMap {
                ["--set", "server.\($0)"]
            })
        let waiting = try Connection(port: gateway.port)
        try eventually("connections are counted") {
            try gateway.admin("GET", "/metrics").bodyText.contains("cloakroom_connections 1\n")
        }
        for _ in 0..<20 {
            let connection = try Connection(port: gateway.port)
            if resets { connection.reset() }
            try connection.send(Array((Self.whole + Self.whole).utf8.prefix(length)))
        }
        // Accepted behind all of them.
        #expect(try gateway.request("GET", "/v1/forms").status == 200)
        try eventually("all connections but one are closed") {
            try gateway.admin("GET", "/metrics").bodyText.contains("cloakroom_connections 1\n")
        }
        withExtendedLifetime(waiting) {}
    }

    @Test func everyAnswerBelongsToItsRequest() throws {
        let upstream = try Self.upstream()
        let route =
            "routes: [{name: r, kind: upstream, url: \"http://127.0.0.1:\(upstream.port)\", allowPlaintext: true, methods: [PUT]}]"
        let form = "form: f\nroute: r\nfields: [{name: note}]"
        let gateway = try GatewayProcess(in: Setting.workspace(Setting.base + route, forms: ["f": form]))
        let findings = Mutex(Findings())
        DispatchQueue.concurrentPerform(iterations: 12) { client in
            for visit in 0..<40 { try? Self.visit(gateway.port, "\(client)-\(visit)", findings) }
        }
        findings.withLock { findings in
            #expect(findings.wrong == [])
            #expect(findings.whole > 100 && findings.failed > 10)
        }
        try eventually("all connections are closed") {
            try gateway.admin("GET", "/metrics").bodyText.contains("cloakroom_connections 0\n")
        }
        #expect(try gateway.request("GET", "/v1/forms").status == 200)
        #expect(try gateway.stop() == .exit(0))
    }
}
