import JSON
import ProcessTesting
import Testing

/// A stranger slows down only himself (docs/reference/access.md section 4).
@Suite(.waits) struct StrangerTests {
    private func request(
        _ gateway: GatewayProcess, from address: String, _ method: String, _ target: String, _ headers: [String] = [],
        body: String = ""
    ) throws -> Message {
        let connection = try Connection(port: gateway.port)
        let lines = ["\(method) \(target) HTTP/1.1", "Host: a", "Connection: close"] + headers
        try connection.send(
            "PROXY TCP4 \(address) 192.0.2.1 40000 8080\r\n" + lines.joined(separator: "\r\n")
                + "\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try connection.receive()
    }

    /// A thousand addresses ask for ten times what all may have together; one honest caller among them is served each time.
    @Test func aThousandAddresses() throws {
        let gateway = try GatewayProcess(
            in: Setting.workspace(forms: ["memo": Setting.memo]),
            ["--set", "server.proxyProtocol=true", "--set", "server.rateLimit.global=300"])
        let honest = ["Authorization: \(User.dev.authorization)", "Content-Type: application/json"]
        var refused = 0
        var served = 0
        for number in 0..<1_000 {
            let stranger = "203.0.\(113 + number / 250).\(number % 250 + 1)"
            for _ in 0..<2 {
                let answer = try request(gateway, from: stranger, "GET", "/v1/forms")
                if answer.status == 429 { refused += 1 }
            }
            guard number % 40 == 0 else { continue }
            let answer = try request(
                gateway, from: "198.51.100.7", "POST", "/v1/forms/memo/aliases", honest,
                body: #"{"fields":{"secret":"s"}}"#)
            if answer.status == 201 { served += 1 }
            #expect(answer["RateLimit"] != nil && answer["RateLimit-Policy"] != nil)
        }
        #expect(served == 25)
        #expect(refused > 1_000)
        #expect(gateway.log.contains(#""client":"203.0.113.1""#) && gateway.log.contains(#""client":"198.51.100.7""#))
        let metrics = try gateway.admin("GET", "/metrics").bodyText
        #expect(metrics.contains("cloakroom_rate_limited_total{policy=\"global\"} \(refused)"))
        #expect(try gateway.stop() == .exit(0))
    }
}
