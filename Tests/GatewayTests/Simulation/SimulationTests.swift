import AuditLog
import AuditLogTesting
import EventHTTP
import EventIO
import Foundation
import Interposing
import JSON
import Synchronization
import Testing
import Vault
import VaultTesting

@testable import Gateway

/// A gateway whose peers fail: a seed draws what is asked of it, what the upstream does and where it cuts connections, which requests the
/// store refuses or carries out without saying so, when the audit log's disk fails, when the vault's clocks jump, and when the process is
/// killed and another one takes over its vault. A failing seed draws the same again; in which order tasks run meanwhile is the machine's.
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

    /// A range that is empty or cannot be read would run nothing.
    @Test func thereAreSeeds() { #expect(!Self.seeds.isEmpty) }

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
        /// When the last deletion of an alias ended, in `ticks`; `.max` while it runs.
        var deletions: [String: Int] = [:]
        /// The same of the erasures by classifier.
        var erasures: [String: Int] = [:]
        var ticks = 0
        /// By alias; of this process, with the time at which they end.
        var volatile: [String: (value: String, end: Int64)] = [:]
        /// Aliases whose deletion was acknowledged.
        var gone: Set<String> = []
        var charges: Set<Int> = []
        /// By key: the upstream's response that its caller got.
        var responses: [Int: String] = [:]
        /// Requests that revealed something.
        var reveals = 0
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
        case createVolatile(Int)
        case revealVolatile(String)
        case erase(classifier: String)
    }

    private let model: Mutex<Model>
    private let upstream: CuttingUpstream
    private let isCalm: Flag
    /// Whether the audit log's disk fails in this round: what has to be recorded first is refused.
    private let auditFails = Flag()
    private let clock: JumpingClock
    private let places: Mutex<(store: MemoryAliasStore, gateway: GatewayFixture)>
    /// Of the processes that were killed.
    private let audits = Mutex<[TestAudit]>([])

    /// The machine's clocks, set forward and back: the time of day within some hours, the other one forward alone.
    private final class JumpingClock: Sendable {
        private let jumps = Mutex<(day: Int64, elapsed: Int64)>((0, 0))
        static let lifetime: Int64 = 3_600_000

        var clock: VaultClock {
            VaultClock(
                unixSeconds: { VaultClock.system.unixSeconds() + self.jumps.withLock { $0.day } },
                elapsedMilliseconds: { self.elapsed })
        }
        var elapsed: Int64 { VaultClock.system.elapsedMilliseconds() + jumps.withLock { $0.elapsed } }

        func jump(day: Int64, elapsed: Int64) {
            jumps.withLock { $0 = (max(-21_600, min(21_600, $0.day + day)), $0.elapsed + elapsed) }
        }
    }

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
        let cuts = Atomic(0)
        init(seed: UInt64) { behaviour = Mutex(SeededGenerator(state: seed &* 31)) }
    }
    private let ledger: Ledger

    init(seed: UInt64) async throws {
        model = Mutex(Model(generator: SeededGenerator(state: seed)))
        let (ledger, isCalm, clock) = (Ledger(seed: seed), Flag(), JumpingClock())
        (self.ledger, self.isCalm, self.clock) = (ledger, isCalm, clock)
        upstream = try CuttingUpstream { body in
            let order = body.split(separator: "\"").first { $0.hasPrefix("order ") }.map(String.init) ?? "?"
            let number = ledger.charges.withLock {
                $0[order, default: 0] += 1
                return $0.values.reduce(0, +)
            }
            let charged = #"{"charge":\#(number)}"#
            let (draw, cut) = ledger.behaviour.withLock {
                (Int.random(in: 0..<100, using: &$0), CuttingUpstream.Cut.allCases.randomElement(using: &$0))
            }
            if isCalm.isSet { return CuttingUpstream.Answer(body: charged) }
            switch draw {
            // Longer than the route waits: whether it was charged is not known.
            case 0..<8: return CuttingUpstream.Answer(delay: .milliseconds(120))
            case 8..<16: return CuttingUpstream.Answer(status: 503)
            case 16..<22: return CuttingUpstream.Answer(status: 402, body: #"{"declined":true}"#)
            case 22..<30: return CuttingUpstream.Answer(body: charged, delay: .milliseconds(10))
            case 30..<45:
                ledger.cuts.add(1, ordering: .relaxed)
                return CuttingUpstream.Answer(body: charged, cut: cut)
            default: return CuttingUpstream.Answer(body: charged)
            }
        }
        let store = MemoryAliasStore()
        places = Mutex((store, try await Self.gateway(store, upstream, clock)))
    }

    private static func gateway(
        _ store: MemoryAliasStore, _ upstream: CuttingUpstream, _ clock: JumpingClock
    ) async throws -> GatewayFixture {
        let route = """
            {name: orders, kind: upstream, url: \"\(upstream.url)\", allowPlaintext: true, pool: {connections: 2, queue: 100},
             timeouts: {connect: 2s, response: 60ms, total: 2s}, breaker: {failures: 0}}
            """
        return try await GatewayFixture(
            form: "form: memo\nroute: orders\naccess: {send: credential}\nfields: [{name: note}]",
            routes: routes(route.replacing("\n", with: " ")), store: store, clock: clock.clock)
    }

    var summary: String {
        count("cut connections", ledger.cuts.load(ordering: .relaxed))
        return model.withLock { model in model.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" } }
            .joined(separator: ", ")
    }

    private func tick() -> Int {
        model.withLock { model in
            model.ticks += 1
            return model.ticks
        }
    }

    private func count(_ name: String, _ number: Int = 1) { model.withLock { $0.counts[name, default: 0] += number } }

    // MARK: Rounds

    func run(rounds: Int) async throws {
        for round in 0..<rounds {
            let gateway = places.withLock { $0.gateway }
            let steps = (0..<8).map { _ in draw(round) }
            let kills = model.withLock { $0.chance(15) }
            misbehave()
            failAudit(gateway.audit)
            jump()
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
            await mendAudit(gateway.audit)
            guard kills else { continue }
            let next = MemoryAliasStore(after: places.withLock { $0.store })
            audits.withLock { $0.append(gateway.audit) }
            model.withLock { $0.volatile = [:] }
            let gatewayAfter = try await Self.gateway(next, upstream, clock)
            places.withLock { $0 = (next, gatewayAfter) }
        }
    }

    /// For this round.
    private func failAudit(_ audit: TestAudit) {
        let (isDrawn, times, isFull) = model.withLock { model in
            (model.chance(8), Int32.random(in: 1...3, using: &model.generator), model.chance(50))
        }
        auditFails.isSet = isDrawn
        guard isDrawn else { return }
        if isFull { interposed_fail_writes(audit.path, times) } else { interposed_fail_syncs(audit.path, times) }
        count("rounds without an audit log")
    }

    /// The log goes on by itself when its disk does.
    private func mendAudit(_ audit: TestAudit) async {
        guard auditFails.isSet else { return }
        interposed_fail_writes(audit.path, 0)
        interposed_fail_syncs(audit.path, 0)
        // A failure may still be on its way from the log's thread: only a line that is synced shows that there is none.
        defer { auditFails.isSet = false }
        for _ in 0..<1_000 {
            if (try? await audit.log.recordDurably(AuditEvent(.rotateKey))) != nil { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
        complain("the audit log stays without its disk, which works again")
    }

    private func jump() {
        let (day, elapsed) = model.withLock { model -> (Int64, Int64) in
            guard model.chance(20) else { return (0, 0) }
            return (
                Int64.random(in: -10_800...10_800, using: &model.generator),
                Int64.random(in: 0...1_800_000, using: &model.generator)
            )
        }
        guard (day, elapsed) != (0, 0) else { return }
        clock.jump(day: day, elapsed: elapsed)
        count("clock jumps")
    }

    private func draw(_ round: Int) -> Step {
        model.withLock { model in
            if model.chance(2) {
                return .erase(classifier: Self.classifiers.randomElement(using: &model.generator) ?? "c0")
            }
            let known = model.values.keys.sorted()
            switch Int.random(in: 0..<12, using: &model.generator) {
            // Keys come again, at once and later.
            case 0..<5:
                return .charge(key: Int.random(in: max(0, round * 2 - 6)...(round * 2), using: &model.generator))
            case 5..<8: return .create("value \(Int.random(in: 0..<200, using: &model.generator))")
            case 8: return .createVolatile(Int.random(in: 0..<1_000_000, using: &model.generator))
            case 9:
                return model.volatile.keys.sorted().randomElement(using: &model.generator).map { .revealVolatile($0) }
                    ?? .createVolatile(round)
            case 10: return known.randomElement(using: &model.generator).map { .reveal($0) } ?? .create("value")
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
            case .createVolatile(let number): try await createVolatile("secret \(number)", gateway)
            case .revealVolatile(let alias): try await revealVolatile(alias, gateway)
            case .erase(let classifier): await erase(classifier, gateway)
            }
            count("steps")
        } catch { complain("\(step): \(error)") }
    }

    private func complain(_ problem: String) { model.withLock { $0.problems.append(problem) } }

    private func charge(_ key: Int, _ gateway: GatewayFixture) async throws {
        model.withLock { _ = $0.charges.insert(key) }
        let response = try await callCharge(key, gateway)
        if response["Idempotency-Replayed"] != nil { count("replays") }
        if ![200, 402, 409, 503, 504, 502, 500].contains(response.status) { complain("charge: \(response.status)") }
    }

    /// A key has one response of the upstream, however often it is asked for.
    private func callCharge(_ key: Int, _ gateway: GatewayFixture) async throws -> GatewayFixture.Response {
        let response = try await gateway.call(
            "POST /v1/forms/memo/send/charges", ["Idempotency-Key: \(key)", GatewayFixture.dev],
            json: #"{"fields":{"note":"order \#(key)"}}"#)
        guard let status = response["Cloakroom-Upstream-Status"] else { return response }
        let text = "\(status) \(response.body)"
        let first = model.withLock { model in
            model.responses[key] = model.responses[key] ?? text
            return model.responses[key]
        }
        if first != text { complain("key \(key) has two responses: \(first ?? "") and \(text)") }
        return response
    }

    private func create(_ value: String, _ gateway: GatewayFixture) async throws {
        let begun = tick()
        let response = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev],
            json: #"{"data":[{"value":"\#(value)","format":"UUID","classifiers":["\#(Self.classifier(value))"]}]}"#)
        if response.status != 201, response.body.contains(value) { complain("a value in an error") }
        guard let alias = Self.alias(response) else { return }
        model.withLock { model in
            // The response may be older than a deletion that ran beside the request.
            if let deleted = model.deletions[alias], deleted >= begun { return }
            if let erased = model.erasures[Self.classifier(value)], erased >= begun { return }
            model.values[alias] = value
        }
    }

    private static func alias(_ response: GatewayFixture.Response) -> String? {
        guard response.status == 201, case .array(let data)? = response.json?.object?["data"],
            case .array(let aliases)? = data.first?.object?["aliases"]
        else { return nil }
        return aliases.first?.object?["alias"]?.string
    }

    /// No fault of the store concerns a value that never gets there.
    private func createVolatile(_ value: String, _ gateway: GatewayFixture) async throws {
        let end = clock.elapsed + JumpingClock.lifetime
        let response = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev],
            json: #"{"data":[{"value":"\#(value)","format":"UUID","storage":"VOLATILE"}]}"#)
        guard let alias = Self.alias(response) else {
            if response.status == 503, auditFails.isSet { return }
            return complain("a volatile value is refused: \(response.status)")
        }
        model.withLock { $0.volatile[alias] = (value, end) }
        count("volatile values")
    }

    private func revealVolatile(_ alias: String, _ gateway: GatewayFixture) async throws {
        guard let known = model.withLock({ $0.volatile[alias] }) else { return }
        let before = clock.elapsed
        let response = try await gateway.call("GET /aliases/\(alias)?storage=VOLATILE", [GatewayFixture.dev])
        if response.status == 200 { countReveal() }
        switch response.status {
        // It ends a lifetime after it was stored, which was some time after `end` was reckoned.
        case 200 where response.body.contains("\"\(known.value)\"") && before < known.end + 10_000: break
        case 404 where clock.elapsed >= known.end: count("ends of volatile values")
        case 503 where auditFails.isSet: break
        default: complain("reveal of volatile \(alias): \(response.status)")
        }
    }

    private func countReveal() { model.withLock { $0.reveals += 1 } }

    private func reveal(_ alias: String, _ gateway: GatewayFixture) async throws {
        let expected = model.withLock { $0.values[alias] }
        let response = try await gateway.call("GET /aliases/\(alias)", [GatewayFixture.dev])
        if response.status == 200 { countReveal() }
        // It may have been deleted meanwhile.
        guard let expected, model.withLock({ $0.values[alias] }) != nil else { return }
        switch response.status {
        case 200 where response.body.contains("\"\(expected)\""), 503: break
        default: complain("reveal of \(alias): \(response.status)")
        }
    }

    private func delete(_ alias: String, _ gateway: GatewayFixture) async throws {
        // From now on it may be gone.
        let isKnown = model.withLock { model in
            guard model.values.removeValue(forKey: alias) != nil else { return false }
            model.deletions[alias] = .max
            return true
        }
        guard isKnown else { return }
        let response = try await gateway.call("DELETE /aliases/\(alias)", [GatewayFixture.dev])
        let ended = tick()
        model.withLock { model in
            model.deletions[alias] = ended
            if response.status == 204 { model.gone.insert(alias) }
        }
        count("deletions")
    }

    private static let classifiers = ["c0", "c1", "c2", "c3"]

    private static func classifier(_ value: String) -> String { classifiers[value.utf8.reduce(0) { $0 + Int($1) } % 4] }

    /// As the gateway does it, in steps. One that fails is not gone on with.
    private func erase(_ classifier: String, _ gateway: GatewayFixture) async {
        model.withLock { model in
            model.values = model.values.filter { Self.classifier($0.value) != classifier }
            model.erasures[classifier] = .max
        }
        let vault = gateway.vault
        if let erasure = try? await vault.beginErasure(
            classifier: classifier, storage: .persistent, requestID: "r", credential: "dev")
        {
            while let step = try? await vault.advance(erasure: erasure.id), step.finishedAt == nil {}
        }
        let ended = tick()
        model.withLock { $0.erasures[classifier] = ended }
        count("erasures")
    }

    // MARK: What must hold at the end

    func problems() async throws -> [String] {
        isCalm.isSet = true
        let (store, gateway) = places.withLock { $0 }
        store.setFaults(nil)
        for (alias, value) in model.withLock({ $0.values }) {
            let response = try await gateway.call("GET /aliases/\(alias)", [GatewayFixture.dev])
            if response.status == 200 { countReveal() }
            if response.status != 200 || !response.body.contains("\"\(value)\"") {
                complain("acknowledged and not revealed: \(alias) \(response.status)")
            }
        }
        for alias in model.withLock({ $0.gone }) {
            let status = try await gateway.call("GET /aliases/\(alias)", [GatewayFixture.dev]).status
            if status != 404 { complain("deleted, and still there: \(alias) \(status)") }
        }
        for alias in model.withLock({ $0.volatile }).keys { try await revealVolatile(alias, gateway) }
        try await repeatCharges(gateway)
        try await lookForPlaces(gateway)
        try await lookForValues(store, gateway)
        return model.withLock { $0.problems }
    }

    /// Every key again: none is charged twice, and none is answered as still running, for nothing runs any more.
    private func repeatCharges(_ gateway: GatewayFixture) async throws {
        // What was slow is over.
        try await Task.sleep(for: .milliseconds(200))
        for key in model.withLock({ $0.charges }).sorted() {
            let response = try await callCharge(key, gateway)
            if response.body.contains("requestInProgress") { complain("key \(key) is claimed for good") }
        }
        // Most responses can be stored, and most keys are asked for again.
        if model.withLock({ $0.counts["replays", default: 0] }) == 0 { complain("no response was replayed") }
        for (order, count) in ledger.charges.withLock({ $0 }) where count > 1 {
            complain("\(order) was charged \(count) times")
        }
    }

    private func lookForPlaces(_ gateway: GatewayFixture) async throws {
        // Every volatile value ends: its places come back.
        clock.jump(day: 0, elapsed: JumpingClock.lifetime + 1_000)
        gateway.vault.sweep()
        for key in 0..<4 {
            var status = 504
            // A machine that stands still for a while makes the upstream late.
            for attempt in 0..<20 where status == 504 {
                status =
                    try await gateway.call(
                        "POST /v1/forms/memo/send/charges",
                        ["Idempotency-Key: last \(key) \(attempt)", GatewayFixture.dev],
                        json: #"{"fields":{"note":"order last \#(key) \#(attempt)"}}"#
                    ).status
            }
            if status != 200 { complain("a place did not come back: \(status)") }
        }
        let text = metrics(of: gateway)
        for line in ["cloakroom_upstream_connections{route=\"orders\"} 0", "cloakroom_volatile_places 0"]
        where !text.split(separator: "\n").contains(where: { $0 == line }) {
            complain("not at the end: \(line)")
        }
    }

    private func metrics(of gateway: GatewayFixture) -> String {
        var text = MetricsText()
        gateway.telemetry.write(into: &text)
        return text.text
    }

    /// Nothing raw in what is stored, recorded or measured, and a line for every reveal.
    private func lookForValues(_ store: MemoryAliasStore, _ gateway: GatewayFixture) async throws {
        let raw = ["value ", "order ", "secret "]
        var recorded = 0
        for audit in audits.withLock({ $0 }) + [gateway.audit] {
            let log = try String(contentsOfFile: audit.path, encoding: .utf8)
            if raw.contains(where: { log.contains($0) }) { complain("a value in the audit log") }
            for finding in try audit.findings { complain(finding) }
            recorded += log.split(separator: "\n").count {
                $0.contains("\"event\":\"reveal\"") && $0.contains("\"outcome\":\"done\"")
            }
        }
        let reveals = model.withLock { $0.reveals }
        if recorded < reveals { complain("\(reveals) reveals and \(recorded) lines in the audit log") }
        if reveals == 0 { complain("nothing was revealed") }
        let stored = try await store.read { (reading) throws(VaultError) in
            try reading.values(after: 0, notSealedUnder: 0, limit: .max).records.flatMap(\.sealed)
                + reading.responses(after: [], notSealedUnder: 0, limit: .max).records.flatMap(\.sealed)
        }
        let texts = [String(decoding: stored, as: UTF8.self), metrics(of: gateway)]
        if texts.contains(where: { text in raw.contains { text.contains($0) } }) {
            complain("a value that is stored raw")
        }
    }
}
