import AuditLogTesting
import EventHTTP
import EventIO
import Foundation
import JSON
import Synchronization
import Testing
import VaultTesting

@testable import Gateway

/// A gateway whose peers fail: a seed draws what is asked of it, what the upstream does, which requests the store refuses or carries out
/// without saying so, and when the process is killed and another one takes over its vault. A failing seed draws the same again; in which
/// order tasks run meanwhile is the machine's.
///
/// `SIMULATION_SEEDS=1-500` runs these seeds instead (`make simulate`).
@Suite(.serialized) struct SimulationTests {
    private static let seeds: [UInt64] = {
        let given = (ProcessInfo.processInfo.environment["SIMULATION_SEEDS"] ?? "1-3").split(separator: "-")
        guard let first = given.first.flatMap({ UInt64($0) }), let last = given.last.flatMap({ UInt64($0) }) else {
            return []
        }
        return first <= last ? Array(first...last) : []
    }()

    @Test(arguments: seeds) func whatWasAcknowledgedHolds(seed: UInt64) async throws {
        let simulation = try await Simulation(seed: seed)
        try await simulation.run(rounds: 40)
        let problems = try await simulation.problems()
        #expect(problems == [], "seed \(seed)")
        print("seed \(seed): \(simulation.summary)")
    }
}

/// Shared by the tasks of a round.
final class Simulation: Sendable {
    private struct Model {
        /// By alias; what was acknowledged and not deleted since.
        var values: [String: String] = [:]
        var charges: [String: Int] = [:]
        var problems: [String] = []
        var generator: SeededGenerator
        var counts: [String: Int] = [:]

        mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
    }

    private enum Step {
        case charge(key: Int)
        case create(String)
        case reveal(String)
        case delete(String)
    }

    private let model: Mutex<Model>
    private let upstream: StandIn
    private let isCalm: Flag
    private let places: Mutex<(store: MemoryAliasStore, gateway: GatewayFixture)>

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool {
            get { value.load(ordering: .acquiring) }
            set { value.store(newValue, ordering: .releasing) }
        }
    }

    /// What the upstream does with one charge.
    private final class Ledger: Sendable {
        let charges = Mutex<[String: Int]>([:])
        let behaviour: Mutex<SeededGenerator>
        init(seed: UInt64) { behaviour = Mutex(SeededGenerator(state: seed &* 31)) }
    }
    private let ledger: Ledger

    init(seed: UInt64) async throws {
        model = Mutex(Model(generator: SeededGenerator(state: seed)))
        let (ledger, isCalm) = (Ledger(seed: seed), Flag())
        (self.ledger, self.isCalm) = (ledger, isCalm)
        upstream = try StandIn { request in
            let order = request.body.split(separator: "\"").first { $0.hasPrefix("order ") }.map(String.init) ?? "?"
            ledger.charges.withLock { $0[order, default: 0] += 1 }
            let draw = ledger.behaviour.withLock { Int.random(in: 0..<100, using: &$0) }
            if isCalm.isSet { return .json("{}") }
            switch draw {
            // Longer than the route waits: whether it was charged is not known.
            case 0..<8:
                try? await Task.sleep(for: .milliseconds(120))
                return .json("{}")
            case 8..<16: return .json("{}", status: 503)
            case 16..<22: return .json(#"{"declined":true}"#, status: 402)
            case 22..<30:
                try? await Task.sleep(for: .milliseconds(10))
                return .json("{}")
            default: return .json("{}")
            }
        }
        let store = MemoryAliasStore()
        places = Mutex((store, try await Self.gateway(store, upstream)))
    }

    private static func gateway(_ store: MemoryAliasStore, _ upstream: StandIn) async throws -> GatewayFixture {
        let route = """
            {name: orders, kind: upstream, url: \"\(upstream.url)\", allowPlaintext: true, pool: {connections: 2, queue: 100},
             timeouts: {connect: 2s, response: 60ms, total: 2s}, breaker: {failures: 0}}
            """
        return try await GatewayFixture(
            form: "form: memo\nroute: orders\naccess: {send: credential}\nfields: [{name: note}]",
            routes: routes(route.replacing("\n", with: " ")), store: store)
    }

    var summary: String {
        model.withLock { model in model.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" } }
            .joined(separator: ", ")
    }

    private func count(_ name: String) { model.withLock { $0.counts[name, default: 0] += 1 } }

    // MARK: Rounds

    func run(rounds: Int) async throws {
        for round in 0..<rounds {
            let gateway = places.withLock { $0.gateway }
            let steps = (0..<8).map { _ in draw(round) }
            let kills = model.withLock { $0.chance(15) }
            misbehave()
            await withTaskGroup(of: Void.self) { group in
                for step in steps { group.addTask { await self.carryOut(step, gateway) } }
                if kills {
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(2))
                        // From here on nothing of the old process reaches the vault.
                        self.places.withLock { $0.store }.setFaults { _ in .refused }
                        self.count("kills")
                    }
                }
            }
            guard kills else { continue }
            let next = MemoryAliasStore(after: places.withLock { $0.store })
            let gatewayAfter = try await Self.gateway(next, upstream)
            places.withLock { $0 = (next, gatewayAfter) }
        }
    }

    private func draw(_ round: Int) -> Step {
        model.withLock { model in
            let known = model.values.keys.sorted()
            switch Int.random(in: 0..<10, using: &model.generator) {
            // Keys come again, at once and later.
            case 0..<5:
                return .charge(key: Int.random(in: max(0, round * 2 - 6)...(round * 2), using: &model.generator))
            case 5..<8: return .create("value \(Int.random(in: 0..<200, using: &model.generator))")
            case 8: return known.randomElement(using: &model.generator).map { .reveal($0) } ?? .create("value")
            default:
                let isRare = Int.random(in: 0..<2, using: &model.generator) == 0
                return known.randomElement(using: &model.generator).map { isRare ? .delete($0) : .reveal($0) }
                    ?? .create("value")
            }
        }
    }

    /// For the next round.
    private func misbehave() {
        let (store, seed) = (places.withLock { $0.store }, model.withLock { $0.generator.next() })
        let generator = Faults(seed: seed)
        store.setFaults { isWriting in
            let fault = generator.next(isWriting: isWriting)
            if fault != nil { self.count("failed store requests") }
            return fault
        }
    }

    private final class Faults: Sendable {
        private let generator: Mutex<SeededGenerator>
        init(seed: UInt64) { generator = Mutex(SeededGenerator(state: seed)) }

        func next(isWriting: Bool) -> MemoryAliasStore.Fault? {
            switch generator.withLock({ Int.random(in: 0..<100, using: &$0) }) {
            case 0..<4: .refused
            case 4..<8 where isWriting: .unknown
            default: nil
            }
        }
    }

    // MARK: Steps

    private func carryOut(_ step: Step, _ gateway: GatewayFixture) async {
        do {
            switch step {
            case .charge(let key): try await charge(key, gateway)
            case .create(let value): try await create(value, gateway)
            case .reveal(let alias): try await reveal(alias, gateway)
            case .delete(let alias): try await delete(alias, gateway)
            }
            count("steps")
        } catch { complain("\(step): \(error)") }
    }

    private func complain(_ problem: String) { model.withLock { $0.problems.append(problem) } }

    private func charge(_ key: Int, _ gateway: GatewayFixture) async throws {
        let response = try await gateway.call(
            "POST /v1/forms/memo/send/charges", ["Idempotency-Key: \(key)", GatewayFixture.dev],
            json: #"{"fields":{"note":"order \#(key)"}}"#)
        if response["Idempotency-Replayed"] != nil { count("replays") }
        if ![200, 402, 409, 503, 504, 502, 500].contains(response.status) { complain("charge: \(response.status)") }
    }

    private func create(_ value: String, _ gateway: GatewayFixture) async throws {
        let response = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"\#(value)","format":"UUID"}]}"#)
        if response.status != 201, response.body.contains(value) { complain("a value in an error") }
        guard response.status == 201, case .array(let data)? = response.json?.object?["data"],
            case .array(let aliases)? = data.first?.object?["aliases"],
            let alias = aliases.first?.object?["alias"]?.string
        else { return }
        model.withLock { $0.values[alias] = value }
    }

    private func reveal(_ alias: String, _ gateway: GatewayFixture) async throws {
        let expected = model.withLock { $0.values[alias] }
        let response = try await gateway.call("GET /aliases/\(alias)", [GatewayFixture.dev])
        // It may have been deleted meanwhile.
        guard let expected, model.withLock({ $0.values[alias] }) != nil else { return }
        switch response.status {
        case 200 where response.body.contains("\"\(expected)\""), 503: break
        default: complain("reveal of \(alias): \(response.status)")
        }
    }

    private func delete(_ alias: String, _ gateway: GatewayFixture) async throws {
        // From now on it may be gone.
        guard model.withLock({ $0.values.removeValue(forKey: alias) }) != nil else { return }
        _ = try await gateway.call("DELETE /aliases/\(alias)", [GatewayFixture.dev])
        count("deletions")
    }

    // MARK: What must hold at the end

    func problems() async throws -> [String] {
        isCalm.isSet = true
        let (store, gateway) = places.withLock { $0 }
        store.setFaults(nil)
        for (alias, value) in model.withLock({ $0.values }) {
            let response = try await gateway.call("GET /aliases/\(alias)", [GatewayFixture.dev])
            if response.status != 200 || !response.body.contains("\"\(value)\"") {
                complain("acknowledged and not revealed: \(alias) \(response.status)")
            }
        }
        // What was slow is over: all connections are there again.
        try await Task.sleep(for: .milliseconds(200))
        for key in 0..<4 {
            let response = try await gateway.call(
                "POST /v1/forms/memo/send/charges", ["Idempotency-Key: last \(key)", GatewayFixture.dev],
                json: #"{"fields":{"note":"order last \#(key)"}}"#)
            if response.status != 200 { complain("a place did not come back: \(response.status)") }
        }
        for (order, count) in ledger.charges.withLock({ $0 }) where count > 1 {
            complain("\(order) was charged \(count) times")
        }
        let log = try String(contentsOfFile: gateway.audit.path, encoding: .utf8)
        if log.contains("\"value ") || log.contains("order ") { complain("a value in the audit log") }
        for finding in try gateway.audit.findings { complain(finding) }
        return model.withLock { $0.problems }
    }
}
