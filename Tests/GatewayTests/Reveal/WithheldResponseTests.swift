import AuditLog
import AuditLogTesting
import Foundation
import JSON
import Testing
import Vault
import VaultTesting

@testable import Gateway

/// An upstream that has done what it was asked for, and an answer that nobody may see.
@Suite struct WithheldResponseTests {
    private static let line = "POST /v1/routes/acquirer/charges"
    private let processor: StandIn

    init() throws {
        processor = try StandIn(status: 201, json: #"{"a":"4539600166594134","b":"4111111111111111"}"#)
    }

    private func gateway(storage: Storage, failure: VaultError? = nil) async throws -> GatewayFixture {
        let rule = "{pointer: \"\", format: UUID, storage: \(storage.rawValue)}"
        let routes = try routes(
            "{name: acquirer, kind: reveal, url: \"\(processor.url)\", allowPlaintext: true, redact: [\(rule)]}")
        return try await GatewayFixture(routes: routes, volatileCapacity: 1, storeFailure: failure)
    }

    private func expectWithheld(_ answer: GatewayFixture.Response) {
        #expect(answer.problem == "502/answerWithheld" && answer["Retry-After"] == nil)
        let detail = answer.json?.object?["detail"]?.string ?? ""
        #expect(detail.contains("the request was made") && detail.contains("201") && detail.contains("withheld"))
        #expect(!answer.body.contains("4539600166594134") && processor.requests.count == 1)
    }

    @Test func aVaultThatHasNoRoom() async throws {
        expectWithheld(try await gateway(storage: .volatile).call(Self.line, [GatewayFixture.dev], json: "{}"))
    }

    @Test func anAuditLogThatTakesNothingMore() async throws {
        let gateway = try await gateway(storage: .persistent)
        await gateway.audit.log.close()
        expectWithheld(try await gateway.call(Self.line, [GatewayFixture.dev], json: "{}"))
    }

    @Test(arguments: [
        (Storage.persistent, VaultError.unavailable("disk full"), 0), (.persistent, .corrupt("a page"), 1),
        (.persistent, .outcomeUnknown("a sync"), 0), (.volatile, .outcomeUnknown("a sync"), 1),
        (.volatile, .unavailable("disk full"), 1),
    ])
    func whatWouldBeWithheldIsNotSent(storage: Storage, failure: VaultError, requests: Int) async throws {
        let gateway = try await gateway(storage: storage, failure: failure)
        let answer = try await gateway.call(Self.line, [GatewayFixture.dev], json: "{}")
        #expect(processor.requests.count == requests)
        if requests == 0 { #expect(answer.problem == "503/unavailable" && answer["Retry-After"] != nil) }
    }

    /// What could not be stored of a response, or may be, is in the audit log as it is of a request.
    @Test(arguments: [(MemoryAliasStore.Fault.refused, "failed"), (.unknown, "uncertain")])
    func whatWasNotStoredIsRecorded(fault: MemoryAliasStore.Fault, outcome: String) async throws {
        let gateway = try await gateway(storage: .persistent)
        gateway.store.setFaults { $0 ? fault : nil }
        expectWithheld(try await gateway.call(Self.line, [GatewayFixture.dev], json: "{}"))
        let lines = try await gateway.audit.lines().filter { $0.contains(#""event":"redact""#) }
        #expect(lines.count == 1 && lines[0].contains("\"outcome\":\"\(outcome)\""))
        #expect(lines[0].contains(#""route":"acquirer","count":2,"#), "\(lines)")
    }

    /// What was found free before the request was sent is held until the response has come.
    @Test func callsAtTheSameTimeDoNotTakeEachOthersPlaces() async throws {
        let upstream = try StandIn(json: #"{"code":"321"}"#)
        let routes = try routes(
            """
            {name: acquirer, kind: reveal, url: "\(upstream.url)", allowPlaintext: true,
             redact: [{pointer: /code, format: UUID, storage: VOLATILE}]}
            """)
        let gateway = try await GatewayFixture(routes: routes, volatileCapacity: 6)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { try await gateway.call(Self.line, [GatewayFixture.dev], json: "{}").status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 3 && statuses.count { $0 == 503 } == 17)
        #expect(upstream.requests.count == 3)
    }

    /// Values go into the vault some at a time: those that are there when there is no room for more are recorded.
    @Test func whatWasStoredIsRecorded() async throws {
        let values = (0..<1_200).map { "\"v\($0)\"" }.joined(separator: ",")
        let upstream = try StandIn(json: "[\(values)]")
        let routes = try routes(
            """
            {name: acquirer, kind: reveal, url: "\(upstream.url)", allowPlaintext: true,
             redact: [{pointer: "", format: UUID, storage: VOLATILE}]}
            """)
        // Half of the places are one caller's.
        let gateway = try await GatewayFixture(routes: routes, volatileCapacity: 1_400)
        let answer = try await gateway.call(Self.line, [GatewayFixture.dev], json: "{}")
        #expect(answer.problem == "502/answerWithheld" && !answer.body.contains("v1199"))
        let log = try String(contentsOfFile: gateway.audit.path, encoding: .utf8)
        #expect(log.split(separator: "\n").count { $0.contains("\"event\":\"redact\"") } == 500)
    }
}
