import Foundation
import JSON
import Testing

/// An exchange that fails has its code, and is never passed off as an answer (docs/reference/proxy.md section 6).
/// One after the other: several responses without end at once exceed what a loop keeps in memory, and are streamed then.
@Suite(.waits, .serialized) struct BrokenUpstreamTests {
    /// What an upstream does once it has a request.
    enum Act: Sendable {
        case say(String)
        /// Says it again and again until nobody listens.
        case sayForever(String)
        /// Waits until the other side has gone.
        case wait
        case reset
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let acts: [Act]
        let code: Int
        /// A route whose time is short.
        var isTimed = false

        var testDescription: String { name }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    static let cases = [
        Case(name: "closes at once", acts: [], code: -1005), Case(name: "resets at once", acts: [.reset], code: -1005),
        Case(name: "closes in the status line", acts: [.say("HTTP/1.1 20")], code: -1005),
        Case(name: "closes in the head", acts: [.say(ok + "Content-Le")], code: -1005),
        Case(name: "closes after 100", acts: [.say("HTTP/1.1 100 Continue\r\n\r\n")], code: -1005),
        Case(name: "closes in the body", acts: [.say(ok + "Content-Length: 10\r\n\r\nhalf")], code: -1005),
        Case(name: "closes before the body", acts: [.say(ok + "Content-Length: 10\r\n\r\n")], code: -1005),
        Case(name: "resets in the body", acts: [.say(ok + "Content-Length: 10\r\n\r\nhalf"), .reset], code: -1005),
        Case(name: "closes in a chunk", acts: [.say(ok + "Transfer-Encoding: chunked\r\n\r\na\r\nhalf")], code: -1005),
        Case(
            name: "closes before the last chunk", acts: [.say(ok + "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")],
            code: -1005),
        Case(
            name: "closes in the trailer", acts: [.say(ok + "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n")],
            code: -1005),
        Case(name: "says nothing", acts: [.wait], code: -1001, isTimed: true),
        Case(name: "stalls in the head", acts: [.say(ok), .wait], code: -1001, isTimed: true),
        Case(
            name: "stalls in the body", acts: [.say(ok + "Content-Length: 10\r\n\r\nhalf"), .wait], code: -1001,
            isTimed: true),
        Case(
            name: "never ends",
            acts: [
                .say(ok + "Transfer-Encoding: chunked\r\n\r\n"),
                .sayForever("4000\r\n" + String(repeating: "a", count: 0x4000) + "\r\n"),
            ], code: -1011),
        Case(
            name: "answers without end", acts: [.say(ok + "\r\n"), .sayForever(String(repeating: "x", count: 65_536))],
            code: -1011),
        Case(name: "announces too much", acts: [.say(ok + "Content-Length: 99999999999\r\n\r\n"), .wait], code: -1011),
        Case(
            name: "has a head without end", acts: [.say(ok), .sayForever("X-Y: zzzzzzzzzzzzzzzzzzzzzzzz\r\n")],
            code: -1011),
        Case(name: "sends 100 without end", acts: [.sayForever("HTTP/1.1 100 Continue\r\n\r\n")], code: -1011),
        Case(
            name: "gives differing lengths",
            acts: [.say(ok + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nhalf"), .wait], code: -1011),
        Case(
            name: "gives both framings",
            acts: [.say(ok + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), .wait], code: -1011),
        Case(
            name: "gives a malformed length", acts: [.say(ok + "Content-Length: four\r\n\r\nfour"), .wait], code: -1011),
        Case(
            name: "gives a malformed chunk", acts: [.say(ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), .wait],
            code: -1011),
        Case(name: "folds a header", acts: [.say(ok + "X: a\r\n b\r\nContent-Length: 0\r\n\r\n"), .wait], code: -1011),
        Case(
            name: "has NUL in a header", acts: [.say(ok + "X: a\u{0}\r\nContent-Length: 0\r\n\r\n"), .wait], code: -1011
        ),
        Case(name: "has no status", acts: [.say("HTTP/1.1 abc OK\r\n\r\n"), .wait], code: -1011),
        Case(name: "is an SSH server", acts: [.say("SSH-2.0-OpenSSH_9.2p1\r\n"), .wait], code: 1400),
        Case(name: "is a mail server", acts: [.say("220 mail.example ESMTP\r\n"), .wait], code: 1400),
        Case(name: "speaks TLS", acts: [.say("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{A}")], code: 1400),
    ]

    static let problems: [Int: (status: Int, type: String, domain: String)] = [
        -1001: (504, "timedOut", "NSURLErrorDomain"), -1003: (502, "cannotFindHost", "NSURLErrorDomain"),
        -1004: (502, "cannotConnectToHost", "NSURLErrorDomain"),
        -1005: (502, "networkConnectionLost", "NSURLErrorDomain"),
        -1011: (502, "badServerResponse", "NSURLErrorDomain"),
        -1200: (502, "secureConnectionFailed", "NSURLErrorDomain"),
        1400: (502, "unexpectedResponseType", "vgscollect.sdk"),
    ]

    /// One gateway and one upstream for all cases: none may spoil the next. The path says which case it is.
    private static let shared = Result { () -> (GatewayProcess, Upstream) in
        let upstream = try Upstream { upstream, connection in
            let request = try upstream.receive(connection)
            let index = request.target.split(separator: "/").last.flatMap { Int($0) }
            for act in index.map({ cases[$0].acts }) ?? [] { try perform(act, on: connection) }
        }
        let routes = [
            ("patient", upstream.port, "30s"), ("timed", upstream.port, "150ms"),
            ("deserted", try Upstream.deserted(), "30s"),
        ]
        .map { name, port, time in
            "  - {name: \(name), kind: upstream, url: \"http://127.0.0.1:\(port)\", allowPlaintext: true, "
                + "methods: [POST, PUT], timeouts: {total: \(time)}}\n"
        }.joined()
        let lost = "  - {name: lost, kind: upstream, url: \"http://no-such-host.invalid\", allowPlaintext: true}\n"
        let forms = Dictionary(
            uniqueKeysWithValues: ["patient", "timed", "deserted", "lost"].map { name in
                (name, "form: \(name)\nroute: \(name)\nfields: [{name: note}]")
            })
        let gateway = try GatewayProcess(
            in: Setting.workspace(Setting.base + "routes:\n" + routes + lost, forms: forms))
        return (gateway, upstream)
    }

    private static func perform(_ act: Act, on connection: Connection) throws {
        switch act {
        case .say(let text): try connection.send(text)
        case .sayForever(let text): while true { try connection.send(text) }
        case .wait: _ = try? connection.receiveRest()
        case .reset: connection.reset()
        }
    }

    private func expectProblem(_ answer: Message, _ code: Int, at target: String) throws {
        let problem = try #require(Self.problems[code])
        #expect(answer.status == problem.status)
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(answer["Cloakroom-Upstream-Status"] == nil)
        let id = try #require(answer["X-Request-Id"])
        let json = try answer.json()
        let title = json.string("title") ?? ""
        #expect(!title.isEmpty && json.string("detail")?.isEmpty == false)
        try expect(
            json,
            equals: """
                {"type":"urn:cloakroom:problem:\(problem.type)","title":"\(title)","status":\(problem.status),
                 "detail":"\(json.string("detail") ?? "")","instance":"\(target)","requestId":"\(id)",
                 "error":{"domain":"\(problem.domain)","code":\(code),"type":"\(problem.type)",
                   "userInfo":{"NSLocalizedDescription":"\(title)","extraInfo":{}}}}
                """)
    }

    @Test(arguments: cases.indices, ["POST", "PUT"])
    func hasItsCode(_ index: Int, _ method: String) throws {
        let (gateway, upstream) = try Self.shared.get()
        let broken = Self.cases[index]
        let target = "/v1/forms/\(broken.isTimed ? "timed" : "patient")/send/\(method)/\(index)"
        let answer = try gateway.request(
            method, target, ["Content-Type": "application/json"], body: #"{"fields":{"note":"x"}}"#)
        try expectProblem(answer, broken.code, at: target)
        // On a connection of its own nothing is tried again. What timed out may not have been read by then.
        let received = { upstream.requests.count { $0.target == "/\(method)/\(index)" } }
        try eventually("the upstream has read the request") { received() > 0 }
        #expect(received() == 1, "\(broken.name)")
    }

    @Test(arguments: [("deserted", -1004), ("lost", -1003)])
    func whatCannotBeReachedHasItsCode(_ form: String, _ code: Int) throws {
        let (gateway, _) = try Self.shared.get()
        let target = "/v1/forms/\(form)/send/a"
        try expectProblem(gateway.post(target, #"{"fields":{"note":"x"}}"#), code, at: target)
    }

    /// Aliases made for a send that failed stay.
    @Test func theEndOfABodyMayBeTheEndOfTheConnection() throws {
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            try connection.send("HTTP/1.1 200 OK\r\n\r\nuntil the end")
        }
        let route =
            "routes: [{name: r, kind: upstream, url: \"http://127.0.0.1:\(upstream.port)\", allowPlaintext: true}]"
        let form = "form: f\nroute: r\nfields: [{name: note}]"
        let gateway = try GatewayProcess(in: Setting.workspace(Setting.base + route, forms: ["f": form]))
        for _ in 0..<3 {
            let answer = try gateway.post("/v1/forms/f/send", #"{"fields":{"note":"x"}}"#)
            #expect(answer.status == 200 && answer.bodyText == "until the end")
        }
        #expect(upstream.requests.count == 3)
    }
}
