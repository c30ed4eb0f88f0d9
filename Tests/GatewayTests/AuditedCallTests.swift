import AuditLog
import AuditLogTesting
import FileTesting
import Foundation
import JSON
import Testing
import Vault
import VaultTesting

@testable import Gateway

@Suite struct AuditedCallTests {
    @Test func callsAreRecordedWithoutValues() async throws {
        let gateway = try await GatewayFixture()
        let path = gateway.audit.path
        func written() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
        _ = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"plain-secret","format":"UUID"}]}"#)
        _ = try await gateway.call("GET /aliases/4539600166594134", [GatewayFixture.dev])
        _ = try await gateway.call("GET /aliases/tok")
        await gateway.audit.log.close()
        let log = try written()
        #expect(log.contains(#""event":"create","outcome":"done""#))
        #expect(log.contains(#""event":"reveal","outcome":"unknown""#))
        #expect(log.contains(#""event":"reveal","outcome":"unauthorized""#))
        #expect(!log.contains("plain-secret") && !log.contains("4539600166594134"))
        #expect(try gateway.audit.findings == [])
    }

    /// What may have been done is not called failed.
    @Test(arguments: [
        (VaultError.outcomeUnknown("a sync failed"), AuditEvent.Outcome.uncertain), (.unavailable("full"), .failed),
        (.overloaded, .failed), (.unknownAliases(["a"]), .unknown), (.damaged(alias: nil), .damaged),
        (.corrupt("a page"), .failed),
    ])
    func outcomesOfFailures(error: VaultError, outcome: AuditEvent.Outcome) {
        #expect(AuditEvent.Outcome(error) == outcome)
        #expect(AuditEvent.Outcome(CallError(error)) == (outcome == .uncertain ? .uncertain : .failed))
    }

    private func alias(in gateway: GatewayFixture) async throws -> String {
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"v","format":"UUID"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object
        return try #require(stored?["aliases"]?.array?.first?.object?["alias"]?.string)
    }

    /// A reference is answered with its value: a reveal like any other, recorded first.
    @Test func referencesAreRecordedAsReveals() async throws {
        let gateway = try await GatewayFixture()
        let alias = try await alias(in: gateway)
        let items = #"{"alias":"\#(alias)","format":"RAW_UUID"},{"value":"w","format":"UUID"}"#
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev, "X-Request-Id: r1"], json: #"{"data":[\#(items)]}"#)
        #expect(made.status == 201)
        let none = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev, "X-Request-Id: r2"],
            json: #"{"data":[{"alias":"\#(alias)","format":"RAW_UUID"},{"alias":"none","format":"UUID"}]}"#)
        #expect(none.status == 404)
        await gateway.audit.log.close()
        let lines = try String(contentsOfFile: gateway.audit.path, encoding: .utf8).split(separator: "\n")
        let first = lines.filter { $0.contains(#""requestId":"r1""#) }
        #expect(first.count == 2)
        let reveal =
            #""event":"reveal","outcome":"done","requestId":"r1","credential":"dev","address":"127.0.0.1","count":1,"aliases":["\#(alias)"]"#
        #expect(first.first?.contains(reveal) == true)
        #expect(first.last?.contains(#""event":"create","outcome":"done""#) == true)
        var metrics = MetricsText()
        gateway.telemetry.write(into: &metrics)
        #expect(metrics.text.contains("\ncloakroom_reveals_total 1\n"))
        let second = lines.filter { $0.contains(#""requestId":"r2""#) }
        #expect(second.count == 1 && second[0].contains(#""event":"create","outcome":"unknown""#))
    }

    /// Nothing of what lives in memory alone touches the disk, not even the four characters that its alias keeps.
    @Test(arguments: [
        ("VOLATILE", "GENERIC_T_FOUR", false), ("VOLATILE", "ALPHANUMERIC_LENGTH_PRESERVING_T_FOUR", false),
        ("VOLATILE", "UUID", true), ("VOLATILE", "ALPHANUMERIC_LENGTH_PRESERVING", true),
        ("PERSISTENT", "GENERIC_T_FOUR", true),
    ])
    func whatAliasesOfVolatileValuesKeepIsNotWritten(storage: String, format: String, isWritten: Bool) async throws {
        let gateway = try await GatewayFixture()
        let item = #"{"value":"confidential9876","format":"\#(format)","storage":"\#(storage)"}"#
        let made = try await gateway.call("POST /aliases", [GatewayFixture.dev], json: #"{"data":[\#(item)]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object
        let alias = try #require(stored?["aliases"]?.array?.first?.object?["alias"]?.string)
        let calls = [
            ("GET /aliases/\(alias)", ""), ("PUT /aliases/\(alias)", #"{"data":{"classifiers":["c"]}}"#),
            ("POST /aliases", #"{"data":[{"alias":"\#(alias)","format":"RAW_UUID"}]}"#),
            ("DELETE /aliases/\(alias)", ""),
        ]
        for (line, body) in calls {
            #expect(try await gateway.call(line, [GatewayFixture.dev], json: body).status < 300, "\(line)")
        }
        await gateway.audit.log.close()
        let log = try String(contentsOfFile: gateway.audit.path, encoding: .utf8)
        #expect(log.split(separator: "\n").count { $0.contains(#""outcome":"done","requestId""#) } == 6)
        #expect(log.components(separatedBy: alias).count - 1 == (isWritten ? 5 : 0))
        #expect(try gateway.audit.findings == [])
    }

    private struct Unsuccessful: Sendable {
        let line: String
        var body = ""
        var headers = [GatewayFixture.dev]
        var isStoreDown = false
        let status: Int
        /// `event outcome count`.
        let recorded: String
    }

    private static let unsuccessful: [Unsuccessful] = [
        Unsuccessful(
            line: "PUT /aliases/tok_none", body: #"{"data":{"classifiers":["c"]}}"#, status: 404,
            recorded: "update unknown 1"),
        Unsuccessful(line: "DELETE /aliases/tok_none", status: 404, recorded: "delete unknown 1"),
        Unsuccessful(
            line: "POST /aliases/delete", body: #"{"data":["tok_none","tok_other"]}"#, status: 404,
            recorded: "delete unknown 2"),
        Unsuccessful(
            line: "POST /aliases/delete?storage=VOLATILE", body: #"{"data":["%"],"storage":"PERSISTENT"}"#, status: 404,
            recorded: "delete unknown 1"),
        Unsuccessful(line: "GET /aliases/tok_none", status: 404, recorded: "reveal unknown 1"),
        Unsuccessful(
            line: "PUT /aliases/%", body: #"{"data":{"classifiers":["c"]}}"#, isStoreDown: true, status: 503,
            recorded: "update failed 1"),
        Unsuccessful(line: "DELETE /aliases/%", isStoreDown: true, status: 503, recorded: "delete failed 1"),
        Unsuccessful(line: "GET /aliases/%", isStoreDown: true, status: 503, recorded: "reveal failed 1"),
        Unsuccessful(
            line: "POST /aliases", body: #"{"data":[{"value":"w","format":"UUID"}]}"#, isStoreDown: true, status: 503,
            recorded: "create failed 1"),
        Unsuccessful(
            line: "POST /v1/forms/checkout/tokens", body: #"{"fields":{"card_number":"4111111111111111","cvc":"123"}}"#,
            isStoreDown: true, status: 503, recorded: "create failed 2"),
        Unsuccessful(
            line: "PUT /aliases/%", body: #"{"data":{"classifiers":["c"]}}"#, headers: [GatewayFixture.writer],
            status: 403,
            recorded: "update forbidden 0"),
        Unsuccessful(
            line: "DELETE /aliases/%", headers: [GatewayFixture.writer], status: 403, recorded: "delete forbidden 0"),
        Unsuccessful(
            line: "GET /aliases/%", headers: [GatewayFixture.writer], status: 403, recorded: "reveal forbidden 0"),
        Unsuccessful(
            line: "POST /aliases", body: #"{"data":[{"value":"w","format":"UUID"}]}"#, headers: [GatewayFixture.nobody],
            status: 403, recorded: "create forbidden 0"),
        Unsuccessful(
            line: "POST /aliases", body: #"{"data":[{"value":"w","format":"UUID"}]}"#, headers: [], status: 401,
            recorded: "create unauthorized 0"),
    ]

    /// A call that was not carried out leaves a line that says so, and no line that says it was done.
    @Test(arguments: unsuccessful.indices) func unsuccessfulCallsAreRecorded(index: Int) async throws {
        let call = Self.unsuccessful[index]
        let gateway = try await GatewayFixture()
        let alias = try await alias(in: gateway)
        if call.isStoreDown { gateway.store.setFaults { _ in .refused } }
        let response = try await gateway.call(
            call.line.replacing("%", with: alias), call.headers, json: call.body.replacing("%", with: alias))
        #expect(response.status == call.status, "\(call.line)")
        await gateway.audit.log.close()
        let lines = try String(contentsOfFile: gateway.audit.path, encoding: .utf8).split(separator: "\n")
        // The start, the creation of the alias, the call and the stop.
        let line = try #require(lines.count == 4 ? try JSONValue.parse(Array(lines[2].utf8)).object : nil, "\(lines)")
        let count = if case .number(let number)? = line["count"] { number.text } else { "0" }
        #expect("\(line["event"]?.string ?? "") \(line["outcome"]?.string ?? "") \(count)" == call.recorded)
    }

    @Test func aValueIsNotBornExpired() async throws {
        let gateway = try await GatewayFixture()
        let item = #"{"value":"v","format":"UUID","expires_at":"2020-01-01T00:00:00Z"}"#
        let response = try await gateway.call("POST /aliases", [GatewayFixture.dev], json: #"{"data":[\#(item)]}"#)
        #expect(response.status == 400)
    }

    /// What cannot be recorded is not done: the value gets no further alias, and the new one is not stored.
    @Test func withoutTheLogReferencesChangeNothing() async throws {
        let gateway = try await GatewayFixture()
        let alias = try await alias(in: gateway)
        await gateway.audit.log.close()
        let items = #"{"alias":"\#(alias)","format":"RAW_UUID"},{"value":"w","format":"UUID"}"#
        let refused = try await gateway.call("POST /aliases", [GatewayFixture.dev], json: #"{"data":[\#(items)]}"#)
        #expect(refused.status == 503)
        #expect(try await gateway.vault.reveal([alias])[0].stored.aliases.map(\.format) == [.uuid])
        #expect(gateway.vault.metrics.created == 1)
    }

    @Test(arguments: [
        ("POST /aliases", #"{"data":[{"value":"w","format":"UUID"}]}"#),
        ("POST /v1/forms/checkout/tokens", #"{"fields":{"card_number":"4111111111111111","cvc":"123"}}"#),
        ("POST /v1/forms/checkout/send/a", #"{"fields":{"card_number":"4111111111111111","cvc":"123"}}"#),
        ("DELETE /aliases/%", ""), ("POST /aliases/delete", #"{"data":["%"]}"#),
        ("PUT /aliases/%", #"{"data":{"classifiers":["c"]}}"#),
    ])
    func withoutTheLogNothingIsChanged(line: String, body: String) async throws {
        let gateway = try await GatewayFixture()
        let alias = try await alias(in: gateway)
        await gateway.audit.log.close()
        let answer = try await gateway.call(
            line.replacing("%", with: alias), [GatewayFixture.dev], json: body.replacing("%", with: alias))
        #expect(answer.status == 503)
        #expect(try await gateway.vault.reveal([alias])[0].stored.classifiers.isEmpty)
        #expect(gateway.vault.metrics.created == 1)
    }

    /// While it is known that nothing can be written, what is there stays as it is; aliases are made as long as there is room.
    @Test func whileTheLogFailsNothingIsTakenAway() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/audit.log", withIntermediateDirectories: true)
        let gateway = try await GatewayFixture(auditFolder: folder)
        let alias = try await alias(in: gateway)
        let delete = #"{"data":["\#(alias)"]}"#
        #expect(try await gateway.call("DELETE /aliases/\(alias)", [GatewayFixture.dev]).status == 503)
        #expect(try await gateway.call("POST /aliases/delete", [GatewayFixture.dev], json: delete).status == 503)
        let change = #"{"data":{"classifiers":["c"]}}"#
        #expect(try await gateway.call("PUT /aliases/\(alias)", [GatewayFixture.dev], json: change).status == 503)
        rmdir(gateway.audit.path)
        while gateway.audit.log.failure != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try await gateway.call("DELETE /aliases/\(alias)", [GatewayFixture.dev]).status == 204)
        await gateway.audit.log.close()
        #expect(try gateway.audit.findings == [])
    }
}
