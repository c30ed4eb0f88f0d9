import Synchronization
import Testing
import VaultTesting

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
        let refusals = Refusals()
        let upstream = try CuttingUpstream { body in
            body.contains("cut")
                ? .init(cut: .beforeResponse) : .init(isHeld: { refusals.count.withLock { $0 } < 7 })
        }
        @Sendable func send(_ extra: String, _ gateway: GatewayFixture) async throws -> Int {
            try await gateway.call(
                "POST /v1/forms/checkout/send/a",
                json: #"{"fields":{"note":"n\#(extra)"},"extraData":{"x":"\#(extra)"}}"#
            ).status
        }
        let resting = try await gateway(upstream, rest: "1h")
        #expect(try await send("cut", resting) == 502)
        #expect(try await send("early", resting) == 503)
        let store = MemoryAliasStore()
        let gateway = try await gateway(upstream, rest: "50ms", store)
        #expect(try await send("cut", gateway) == 502)
        try await Task.sleep(for: .milliseconds(60))
        let arrivals = Mutex(0)
        store.setPause {
            arrivals.withLock { $0 += 1 }
            while arrivals.withLock({ $0 }) < 8 { try? await Task.sleep(for: .milliseconds(1)) }
        }
        var statuses: [Int] = []
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 { group.addTask { try await send("\(number)", gateway) } }
            for try await status in group {
                statuses.append(status)
                refusals.count.withLock { $0 += 1 }
            }
        }
        #expect(statuses.sorted() == [200] + Array(repeating: 503, count: 7))
        store.setPause(nil)
        #expect(try await send("late", gateway) == 200)
    }

    /// Anyone can ask for events and take them until the route's time is over: that says nothing about the upstream.
    @Test(arguments: [(isEndless: true, later: 200), (isEndless: false, later: 503)])
    func aResponseThatIsLongerThanTheRoutesTimeOpensNoCircuit(isEndless: Bool, later: Int) async throws {
        let upstream = try CuttingUpstream { body in
            body.contains("now") ? .init() : .init(isHeld: { !isEndless }, isEndless: isEndless)
        }
        let gateway = try await gateway(upstream, rest: "1h", timeouts: "timeouts: {total: 2s}, ")
        @Sendable func send(_ note: String) async throws -> Int {
            try await gateway.call(
                "POST /v1/forms/checkout/send/a", json: #"{"fields":{"note":"n"},"extraData":{"x":"\#(note)"}}"#
            ).status
        }
        // The events begin, and break off.
        let slow = try? await send("slow")
        #expect(slow == (isEndless ? nil : 504))
        #expect(try await send("now") == later)
    }

    /// How many requests have been answered while the first is with the upstream.
    private final class Refusals: Sendable {
        let count = Mutex(0)
    }

    private func gateway(
        _ upstream: CuttingUpstream, rest: String, timeouts: String = "", _ store: MemoryAliasStore = MemoryAliasStore()
    ) async throws -> GatewayFixture {
        let route = """
            {name: orders, kind: upstream, url: "\(upstream.url)", allowPlaintext: true, \
            \(timeouts)breaker: {failures: 1, rest: \(rest)}}
            """
        return try await GatewayFixture(form: Self.form, routes: routes(route), store: store)
    }
}
