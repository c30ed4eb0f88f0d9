import Foundation
import JSON
import Synchronization
import Testing

/// Card numbers outside the card fields, through the real binary (`docs/reference/proxy.md` section 10).
@Suite(.waits) struct GuardTests {
    private static let card = "4111111111111111"
    private static let other = "5555555555554444"
    private static let masked = "************4444"
    private let bodies: Bodies
    private let upstream: Upstream
    private let gateway: GatewayProcess

    private final class Bodies: Sendable {
        private let next = Mutex<[[UInt8]]>([])

        func set(_ pieces: [[UInt8]]) { next.withLock { $0 = pieces } }
        var pieces: [[UInt8]] { next.withLock { $0 } }
    }

    init() throws {
        let bodies = Bodies()
        self.bodies = bodies
        upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            for (index, piece) in bodies.pieces.enumerated() {
                // So that it is another read.
                if index > 0, index < 40 { usleep(2_000) }
                try connection.send(piece)
            }
        }
        let configuration = """
            \(Setting.base)
            routes:
              - {name: orders, kind: upstream, url: "http://127.0.0.1:\(upstream.port)", allowPlaintext: true}
            """
        var forms: [String: String] = [:]
        for action in ["refuse", "mask", "report", "off"] {
            forms[action] = """
                form: \(action)
                route: orders
                guard: {pan: \(action)}
                fields:
                  - {name: pan, type: cardNumber, isRequiredValidOnly: true, tokenization: {}}
                  - {name: note}
                """
        }
        gateway = try GatewayProcess(in: Setting.workspace(configuration, forms: forms))
    }

    private func send(_ form: String, note: String = "", extra: String = "{}", _ response: [[UInt8]]? = nil) throws
        -> Message
    {
        bodies.set(response ?? [Self.response("{}")])
        return try gateway.post(
            "/v1/forms/\(form)/send/a",
            #"{"fields":{"pan":"\#(Self.card)","note":"\#(note)"},"extraData":\#(extra)}"#)
    }

    private static func response(_ body: String, type: String = "application/json") -> [UInt8] {
        Array(
            "HTTP/1.1 200 X\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                .utf8)
    }

    /// The same number, written in many ways, and what is left of it.
    private static let writings = [
        (other, masked), ("5555 5555 5555 4444", "**** **** **** 4444"), ("5555-5555-5555-4444", "****-****-****-4444"),
        ("5555%205555%205555%204444", "****%20****%20****%204444"), ("%35555555555554444", masked),
        ("\\u0035555555555554444", masked), ("5555555555554444.0", masked + ".0"),
    ]

    @Test func whatIsSent() throws {
        for (written, left) in Self.writings {
            for (note, extra) in [("see \(written)", "{}"), ("", #"{"a":["\#(written)"]}"#)] {
                let before = upstream.requests.count
                let refused = try send("refuse", note: note, extra: extra)
                #expect(refused.status == 400 && upstream.requests.count == before)
                #expect(try refused.json()["error"]?.string("type") == "cardNumberRefused")
                #expect(refused.bodyText.contains(extra == "{}" ? "/note" : "/a/0"))
                for form in ["mask", "report", "off"] {
                    #expect(try send(form, note: note, extra: extra).status == 200)
                }
                let bodies = upstream.requests.suffix(3).map(\.bodyText)
                // Escapes of JSON are those of the gateway.
                #expect(bodies.first?.contains(written.contains("\\u") ? Self.masked : left) == true, "\(bodies)")
                #expect(bodies.dropFirst().allSatisfy { !$0.contains("****") })
            }
        }
        try expectNothingInTheLog()
    }

    @Test func whatUpstreamsReturn() throws {
        for (written, left) in Self.writings {
            for (type, around) in [
                ("application/json", ("{\"a\":\"", "\"}")), ("text/plain", ("card ", ".")),
                ("text/html", ("<b>", "</b>")),
            ] {
                let whole = Self.response(around.0 + written + around.1, type: type)
                let pieces = [Array(whole.dropLast(12)), Array(whole.suffix(12))]
                let refused = try send("refuse", pieces)
                #expect(refused.status == 502 && refused.bodyText.contains("answerWithheld"))
                #expect(try send("mask", pieces).bodyText == around.0 + left + around.1)
                for form in ["report", "off"] {
                    #expect(try send(form, pieces).bodyText == around.0 + written + around.1)
                }
            }
        }
        try expectNothingInTheLog()
    }

    /// What has been passed on before a body breaks off is recorded like the rest.
    @Test(arguments: ["report", "mask"])
    func aStreamThatBreaksOff(form: String) throws {
        var head = "HTTP/1.1 200 X\r\nContent-Type: text/plain\r\nContent-Length: 9000000\r\n\r\n"
        head += String(repeating: "x", count: 200_000) + " \(Self.other) " + String(repeating: "y", count: 400_000)
        #expect(throws: (any Error).self) { try send(form, [Array(head.utf8)]) }
        let found = "cloakroom_guard_findings_total{passage=\"response\",action=\"\(form)\"} 1"
        try eventually("the find is counted") { try gateway.admin("GET", "/metrics").bodyText.contains(found) }
    }

    /// Streamed: 2 MiB with numbers among others that look like them, sent in random pieces.
    @Test(arguments: [1, 2])
    func streamedResponses(seed: UInt64) throws {
        var state = seed
        func random(_ range: ClosedRange<Int>) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return range.lowerBound + Int(state >> 33) % range.count
        }
        let filler = #"2026-11-22T10:11:12.123456Z id 550e8400-e29b-41d4-a716-446655440000 4111111111111112 \n "#
        var given = ""
        var expected = ""
        for index in 0..<100 {
            let text = String(repeating: filler, count: random(100...400))
            let (written, left) = Self.writings[index % Self.writings.count]
            given += text + written + " "
            expected += text + left + " "
        }
        let bytes = Self.response("{\"a\":\"\(given)\"}")
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + random(1...100_000))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        #expect(try send("mask", pieces).bodyText == "{\"a\":\"\(expected)\"}")
        #expect(try send("report", pieces).bodyText == "{\"a\":\"\(given)\"}")
        #expect(throws: (any Error).self) { try send("refuse", pieces) }
        let metrics = try gateway.admin("GET", "/metrics").bodyText
        #expect(metrics.contains(#"cloakroom_guard_findings_total{passage="response",action="mask"} 100"#))
        #expect(metrics.contains(#"cloakroom_guard_findings_total{passage="response",action="report"} 100"#))
        try expectNothingInTheLog()
    }

    private func expectNothingInTheLog() throws {
        try gateway.waitForLog("a card number was found")
        #expect(
            !gateway.log.contains(Self.other) && !gateway.log.contains(Self.card) && !gateway.log.contains("5555 5555"))
    }
}
