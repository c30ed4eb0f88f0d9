import Testing

@testable import Gateway

@Suite struct OpenCircuitTests {
    private static let form = """
        form: checkout
        route: orders
        fields:
          - {name: note, tokenization: {}}
        """

    /// All of them have found that the next request may be sent, and make their aliases; then one goes first.
    @Test func aProbeIsTheOnlyRequest() async throws {
        let upstream = try CuttingUpstream { body in
            body.contains("cut") ? .init(cut: .beforeResponse) : .init(delay: .milliseconds(300))
        }
        let gateway = try await GatewayFixture(
            form: Self.form,
            routes: routes(
                """
                {name: orders, kind: upstream, url: "\(upstream.url)", allowPlaintext: true, \
                breaker: {failures: 1, rest: 50ms}}
                """))
        @Sendable func send(_ extra: String) async throws -> GatewayFixture.Response {
            try await gateway.call(
                "POST /v1/forms/checkout/send/a", json: #"{"fields":{"note":"n"},"extraData":{"x":"\#(extra)"}}"#)
        }
        #expect(try await send("cut").status == 502)
        #expect(try await send("early").status == 503)
        try await Task.sleep(for: .milliseconds(60))
        var statuses: [Int] = []
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 { group.addTask { try await send("\(number)").status } }
            for try await status in group { statuses.append(status) }
        }
        #expect(statuses.sorted() == [200] + Array(repeating: 503, count: 7))
        #expect(try await send("late").status == 200)
    }
}
