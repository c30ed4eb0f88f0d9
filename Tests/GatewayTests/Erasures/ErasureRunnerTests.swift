import AuditLog
import AuditLogTesting
import Foundation
import Interposing
import JSON
import Sensitive
import Synchronization
import Testing
import Vault
import VaultTesting

@testable import Configuration
@testable import Gateway

@Suite struct ErasureRunnerTests {
    /// While the audit log cannot be written, nothing is erased; afterwards an erasure goes on, and its end is in the log.
    @Test func nothingIsErasedThatCannotBeRecorded() async throws {
        let gateway = try await GatewayFixture()
        let (vault, audit) = (gateway.vault, gateway.audit)
        let alias = try await vault.alias(
            .value(SensitiveText("erased"), format: .uuid, classifiers: ["gone"], storage: .persistent, expiresAt: nil))
        let begun = try await vault.beginErasure(classifier: "gone", storage: nil, requestID: "r-1", credential: "dev")
        let runner = ErasureRunner(vault: vault, audit: audit.log, telemetry: gateway.telemetry)

        interposed_fail_writes(audit.path, .max)
        await #expect(throws: AuditFailure.self) { try await audit.log.recordDurably(AuditEvent(.reveal)) }
        for _ in 0..<10 {
            runner.wake()
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await vault.erasure(begun.id)?.finishedAt == nil)
        #expect(await vault.value(alias) == "erased")

        interposed_fail_writes(audit.path, 0)
        for _ in 0..<600 where try await vault.erasure(begun.id)?.finishedAt == nil {
            runner.wake()
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await vault.erasure(begun.id)?.values == 1)
        #expect(await vault.value(alias) == nil)
        await runner.stop()
        await audit.log.close()
        let log = try String(contentsOfFile: audit.path, encoding: .utf8)
        #expect(log.contains(#""event":"erase","outcome":"done""#))
    }

    private static let erase = #"{"classifier":"gone"}"#

    private func fill(_ vault: Vault) async throws -> [String] {
        var aliases: [String] = []
        for storage in [Storage.persistent, .volatile] {
            aliases.append(try await vault.alias(.new("erased", .uuid, ["gone"], storage)))
        }
        return aliases
    }

    private func ends(_ gateway: GatewayFixture) async throws -> [String] {
        try await gateway.audit.lines().filter { $0.contains(#""event":"erase""#) }
    }

    /// The log fails once the erasure is stored: it is not refused then, as it will be carried out, and it is recorded later.
    @Test(arguments: ["", #","storage":"VOLATILE""#]) func whatIsBegunIsNotRefused(storage: String) async throws {
        let gateway = try await GatewayFixture()
        let (vault, audit) = (gateway.vault, gateway.audit)
        let aliases = try await fill(vault)
        interposed_fail_writes(audit.path, .max)
        let response = try await gateway.call(
            "POST /aliases/delete", [GatewayFixture.dev], json: #"{"classifier":"gone"\#(storage)}"#)
        let id = response.json?.object?["erasure"]?.string
        #expect(response.status == 202 && response["Location"] == "/erasures/\(id ?? "?")")
        #expect(audit.log.failure != nil)
        // While it is known that nothing can be written, nothing is begun.
        #expect(
            try await gateway.call("POST /aliases/delete", [GatewayFixture.dev], json: Self.erase).status == 503)
        #expect(try await vault.openErasures().count == (storage.isEmpty ? 1 : 0))

        interposed_fail_writes(audit.path, 0)
        let runner = ErasureRunner(vault: vault, audit: audit.log, telemetry: gateway.telemetry)
        for _ in 0..<600 where try await vault.erasure(id ?? "")?.finishedAt == nil || audit.log.failure != nil {
            runner.wake()
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(await vault.value(aliases[1]) == nil)
        #expect(await vault.value(aliases[0]) == (storage.isEmpty ? nil : "erased"))
        await runner.stop()
        #expect(try await ends(gateway).first?.contains(#""outcome":"begun""#) == true)
    }

    private struct Line: Equatable {
        var outcome, erasure, request: String?
        var count: Int?
        var aliases: Int?

        init(_ text: String) throws {
            let line = try #require(JSONValue.parse(Array(text.utf8)).object)
            (outcome, erasure, request) = (line["outcome"]?.string, line["erasure"]?.string, line["requestId"]?.string)
            if case .number(let number)? = line["count"] { count = Int(number.text) }
            aliases = line["aliases"]?.array?.count
        }
    }

    /// Both lines of an erasure have its id and count values, however many aliases they have; and the log can be verified.
    @Test(arguments: ["", #","storage":"VOLATILE""#]) func bothLinesAreOfOneErasure(storage: String) async throws {
        let gateway = try await GatewayFixture()
        let vault = gateway.vault
        for alias in try await fill(vault) {
            _ = try await vault.create([.reference(alias: alias, format: .rawUUID)])
        }
        let response = try await gateway.call(
            "POST /aliases/delete", [GatewayFixture.dev, "X-Request-Id: r-1"],
            json: #"{"classifier":"gone"\#(storage)}"#)
        let id = try #require(response.json?.object?["erasure"]?.string)
        let runner = ErasureRunner(vault: vault, audit: gateway.audit.log, telemetry: gateway.telemetry)
        for _ in 0..<600 where try await ends(gateway).count < 2 {
            runner.wake()
            try await Task.sleep(for: .milliseconds(10))
        }
        await runner.stop()
        let erasure = try #require(try await vault.erasure(id))
        let count = storage.isEmpty ? 2 : 1
        #expect(erasure.values == count && erasure.aliases == 2 * count)
        let lines = try await ends(gateway).map(Line.init)
        #expect(lines.map(\.outcome) == ["begun", "done"])
        for line in lines {
            #expect(line.erasure == id && line.request == "r-1" && line.count == count && line.aliases == 0)
        }
        #expect(try gateway.audit.findings == [])
    }

    /// What is refused has no erasure to name.
    @Test func aRefusedErasureHasNoID() async throws {
        let gateway = try await GatewayFixture()
        gateway.store.setFaults { $0 ? .refused : nil }
        let response = try await gateway.call(
            "POST /aliases/delete", [GatewayFixture.dev], json: Self.erase)
        #expect(response.status == 503)
        let lines = try await ends(gateway).map(Line.init)
        #expect(lines.map(\.outcome) == ["failed"] && lines.map(\.erasure) == [nil])
    }

    /// A clock that is set forward.
    private final class SetClock: Sendable {
        private let ahead = Atomic<Int64>(0)
        var clock: VaultClock {
            VaultClock(
                unixSeconds: { 1_000_000_000 + self.ahead.load(ordering: .relaxed) },
                elapsedMilliseconds: { 1_000 * self.ahead.load(ordering: .relaxed) })
        }
        func set(ahead seconds: Int64) { ahead.store(seconds, ordering: .relaxed) }
    }

    /// The last step is done, but its commit is left open, or the process ends behind it. Its end is recorded once, a minute later.
    @Test(arguments: ["open", "killed"]) func anEndIsRecordedLater(commit: String) async throws {
        let clock = SetClock()
        let gateway = try await GatewayFixture(clock: clock.clock)
        let vault = gateway.vault
        _ = try await fill(vault)
        let begun = try await vault.beginErasure(classifier: "gone", storage: nil, requestID: "r-1", credential: "dev")
        let runner = ErasureRunner(vault: vault, audit: gateway.audit.log, telemetry: gateway.telemetry)
        if commit == "open" {
            gateway.store.setFaults { $0 ? .unknown : nil }
            runner.wake()
            while try await vault.erasure(begun.id)?.finishedAt == nil { try await Task.sleep(for: .milliseconds(5)) }
        } else {
            _ = try await vault.advance(erasure: begun.id)
        }
        await runner.stop()
        gateway.store.setFaults(nil)
        #expect(try await vault.erasure(begun.id)?.finishedAt != nil)
        for (seconds, lines) in [(59, 0), (60, 1), (600, 1)] as [(Int64, Int)] {
            clock.set(ahead: seconds)
            let runner = ErasureRunner(vault: vault, audit: gateway.audit.log, telemetry: gateway.telemetry)
            runner.wake()
            for _ in 0..<200 where try await ends(gateway).count < lines {
                try await Task.sleep(for: .milliseconds(10))
            }
            await runner.stop()
            #expect(try await ends(gateway).count == lines, "\(seconds)")
        }
        #expect(try await ends(gateway).first?.contains(#""outcome":"done","requestId":"r-1""#) == true)
        #expect(try await vault.unrecordedErasures().isEmpty)
    }

    /// Of a commit that was left open nobody can tell later what went: the log says that something may have.
    @Test(arguments: ["expiry", "retention"]) func whatMayHaveExpiredIsRecorded(reason: String) async throws {
        let gateway = try await GatewayFixture()
        let end = reason == "expiry" ? VaultClock.system.unixSeconds() - 1 : nil
        _ = try await gateway.vault.create([
            .value(SensitiveText("v"), format: .uuid, classifiers: ["short"], storage: .persistent, expiresAt: end)
        ])
        gateway.store.setFaults { $0 ? .unknown : nil }
        let (vault, log, telemetry) = (gateway.vault, gateway.audit.log, gateway.telemetry)
        let expiry = ExpiryRunner(vault: vault, audit: log, telemetry: telemetry)
        let retention = RetentionRunner(
            [RetentionSettings(classifier: "short", keep: .zero)], vault: vault, audit: log, telemetry: telemetry)
        if reason == "expiry" { expiry.wake() } else { retention.wake() }
        var lines: [String] = []
        for _ in 0..<500 where lines.isEmpty {
            try await Task.sleep(for: .milliseconds(10))
            lines = try await gateway.audit.lines().filter { $0.contains(#""event":"expire""#) }
        }
        await expiry.stop()
        await retention.stop()
        #expect(lines.count == 1 && lines[0].contains(#""outcome":"uncertain""#), "\(lines)")
    }
}
