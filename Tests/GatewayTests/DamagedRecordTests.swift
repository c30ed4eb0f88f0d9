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
        ("GET /aliases/%", "", "reveal"), ("GET /aliases?q=%", "", "reveal"), ("DELETE /aliases/%", "", "delete"),
        ("PUT /aliases/%", #"{"data":{"classifiers":["c"]}}"#, "update"),
        ("POST /aliases", #"{"data":[{"alias":"%","format":"RAW_UUID"}]}"#, "create"),
    ])
    func isToldByItsAlias(line: String, body: String, event: String) async throws {
        let gateway = try await GatewayFixture()
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"confidential","format":"UUID"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object
        let alias = try #require(stored?["aliases"]?.array?.first?.object?["alias"]?.string)
        try await gateway.store.write { (transaction) throws(VaultError) in
            guard var record = try transaction.entry(alias: alias)?.value else { return }
            record.classifiers = ["put there"]
            try transaction.update(record)
        }
        let named = { (text: String) in text.replacing("%", with: alias) }
        let answer = try await gateway.call(named(line), [GatewayFixture.dev], json: body.isEmpty ? nil : named(body))
        #expect(answer.status == 503)
        let error = answer.json?.object?["errors"]?.array?.first?.object
        #expect(error?["title"]?.string == "Damaged" && error?["detail"]?.string?.contains(alias) == true)
        #expect(gateway.vault.metrics.damaged > 0)
        await gateway.audit.log.close()
        let log = try String(contentsOfFile: gateway.audit.path, encoding: .utf8)
        let recorded = log.split(separator: "\n").filter { $0.contains(#""event":"\#(event)","outcome":"damaged""#) }
        #expect(recorded.count == 1 && recorded.first?.contains(alias) == true)
    }
}
