import AuditLog
import AuditLogTesting
import FoundationEssentials
import JSON
import Testing
import Vault
import VaultTesting

@testable import Gateway

/// A record that is not what the vault wrote is an error of its own, on every call that reads it.
@Suite struct DamagedRecordTests {
    @Test(arguments: [
        ("GET /aliases/%", "", "reveal"), ("GET /aliases?q=%", "", "reveal"),
        ("PUT /aliases/%", #"{"data":{"classifiers":["c"]}}"#, "update"),
        ("POST /aliases", #"{"data":[{"alias":"%","format":"RAW_UUID"}]}"#, "create"),
    ])
    func isToldByItsAlias(line: String, body: String, event: String) async throws {
        let gateway = try await GatewayFixture()
        let alias = try await damagedAlias(gateway)
        let named = { (text: String) in text.replacing("%", with: alias) }
        let answer = try await gateway.call(named(line), [GatewayFixture.dev], json: body.isEmpty ? nil : named(body))
        #expect(answer.status == 503)
        let error = answer.json?.object?["errors"]?.array?.first?.object
        #expect(error?["title"]?.string == "Damaged" && error?["detail"]?.string?.contains(alias) == true)
        #expect(gateway.vault.metrics.damaged > 0)
        try await expectOne(event, of: alias, gateway)
    }

    /// Deleting reads nothing out, so it is done, and recorded as what it was.
    @Test(arguments: [("DELETE /aliases/%", ""), ("POST /aliases/delete", #"{"data":["%"]}"#)])
    func canBeDeleted(line: String, body: String) async throws {
        let gateway = try await GatewayFixture()
        let alias = try await damagedAlias(gateway)
        let named = { (text: String) in text.replacing("%", with: alias) }
        let deleted = try await gateway.call(named(line), [GatewayFixture.dev], json: body.isEmpty ? nil : named(body))
        #expect(deleted.status == 204)
        #expect(try await gateway.call("GET /aliases/\(alias)", [GatewayFixture.dev]).status == 404)
        try await expectOne("delete", of: alias, gateway)
    }

    private func damagedAlias(_ gateway: GatewayFixture) async throws -> String {
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"confidential","format":"UUID"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object
        let alias = try #require(stored?["aliases"]?.array?.first?.object?["alias"]?.string)
        try await gateway.store.write { (transaction) throws(VaultError) in
            guard var record = try transaction.entry(alias: alias)?.value else { return }
            record.classifiers = ["put there"]
            try transaction.update(record)
        }
        return alias
    }

    private func expectOne(_ event: String, of alias: String, _ gateway: GatewayFixture) async throws {
        await gateway.audit.log.close()
        let log = try String(contentsOfFile: gateway.audit.path, encoding: .utf8)
        let recorded = log.split(separator: "\n").filter { $0.contains(#""event":"\#(event)","outcome":"damaged""#) }
        #expect(recorded.count == 1 && recorded.first?.contains(alias) == true)
    }
}
