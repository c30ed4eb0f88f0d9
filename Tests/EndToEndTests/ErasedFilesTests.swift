import Foundation
import JSON
import ProcessTesting
import Testing

/// What is deleted, has expired or was erased by a classifier leaves every file of the vault (docs/reference/vault-api.md section 4).
@Suite(.waits) struct ErasedFilesTests {
    /// What a copy of the vault holds of its values: the sealed bytes, the fingerprint, the binding, and the alias.
    private struct Row {
        let alias: String
        let sealed: Data
        let others: [Data]
    }

    private static let read = """
        import sqlite3, sys
        for row in sqlite3.connect(sys.argv[1]).execute(
            "SELECT alias, hex(sealed), hex(fingerprint), hex(binding) FROM value ORDER BY id"):
            print(*row)
        """

    /// The rows of the vault, through a copy of it.
    private func rows(_ workspace: Workspace, _ copy: String) throws -> [String: Row] {
        let file = workspace.path(of: copy)
        let backup = try Command.cloakroom(
            ["backup", file, "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(backup.end == .exit(0), "\(backup.errors)")
        let run = try Command("/usr/bin/python3", ["-c", Self.read, file], in: workspace)
        #expect(run.end == .exit(0), "\(run.errors)")
        var rows: [String: Row] = [:]
        for line in run.lines {
            let columns = line.split(separator: " ")
            guard columns.count == 4 else { throw Trouble("a row is not one") }
            rows[String(columns[0])] = Row(
                alias: String(columns[0]), sealed: Self.bytes(columns[1]), others: columns[2...].map(Self.bytes))
        }
        return rows
    }

    private static func bytes(_ digits: Substring) -> Data {
        let digits = Array(digits)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
    }

    /// What of these rows some file in the vault's folder still holds. The audit log names aliases on purpose.
    private func found(_ rows: [Row], _ workspace: Workspace) -> Set<String> {
        var aliases: [UInt64: String] = [:]
        var others: [UInt64: String] = [:]
        for row in rows {
            // From where an alias is its own. A part of what is sealed is a trace of it, too.
            aliases[Self.window(Data(row.alias.utf8.dropFirst(14)))] = row.alias
            for trace in [row.sealed, row.sealed.suffix(8)] + row.others { others[Self.window(trace)] = row.alias }
        }
        var found: Set<String> = []
        for file in workspace.files(in: "data") {
            let traces = file.name.hasPrefix("audit") ? others : others.merging(aliases) { $1 }
            file.bytes.withUnsafeBytes { bytes in
                var window: UInt64 = 0
                for byte in bytes {
                    window = window << 8 | UInt64(byte)
                    if let alias = traces[window] { found.insert(alias) }
                }
            }
        }
        return found
    }

    private static func window(_ bytes: Data) -> UInt64 { bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    private func create(
        _ count: Int, _ name: String, _ members: String, _ gateway: GatewayProcess
    ) throws -> [String] {
        var aliases: [String] = []
        for first in stride(from: 0, to: count, by: 20) {
            let items = (first..<min(first + 20, count)).map { number in
                let padding = String(repeating: "x", count: number * 7 % 90)
                return #"{"value":"\#(name) \#(number) \#(padding)","format":"UUID"\#(members)}"#
            }
            let response = try gateway.vault("POST", "/aliases", #"{"data":[\#(items.joined(separator: ","))]}"#)
            #expect(response.status == 201)
            aliases +=
                try response.json()["data"]?.array?.compactMap { $0["aliases"]?.array?.first?.string("alias") } ?? []
        }
        return aliases
    }

    /// Responses that are stored for repetitions go when their keys do.
    @Test func noStoredResponseStays() throws {
        let workspace = try Setting.workspace(
            Setting.base.replacing("vault: {", with: "vault: {erase: {within: 1s}, "), forms: ["memo": Setting.memo])
        let clock = try ShiftedClock(in: workspace)
        var gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        for number in 0..<40 {
            let headers = [
                "Content-Type": "application/json", "Idempotency-Key": "order \(number)",
                "Authorization": User.dev.authorization,
            ]
            let body = #"{"fields":{"secret":"value \#(number)"}}"#
            #expect(try gateway.request("POST", "/v1/forms/memo/aliases", headers, body: body).status == 201)
        }
        let read = """
            import sqlite3, sys
            for row in sqlite3.connect(sys.argv[1]).execute("SELECT hex(sealed) FROM response"): print(*row)
            """
        let copy = workspace.path(of: "copy.db")
        #expect(
            try Command.cloakroom(["backup", copy, "--config", workspace.path(of: "cloakroom.yaml")], in: workspace).end
                == .exit(0))
        let rows = try Command("/usr/bin/python3", ["-c", read, copy], in: workspace).lines
        let sealed = rows.map { Self.bytes($0[...]) }
        func count(_ sealed: [Data]) -> Int {
            let files = workspace.files(in: "data").map(\.bytes)
            return sealed.count { part in files.contains { $0.range(of: part.prefix(24)) != nil } }
        }
        // The test can fail: all are found where they were stored.
        #expect(sealed.count == 40 && count(sealed) == 40)
        // At a start the clock is believed.
        #expect(try gateway.stop() == .exit(0))
        try clock.set(seconds: 25 * 3_600)
        gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        for some in [Array(sealed.prefix(1)), sealed] {
            try eventually("they have left all files") { count(some) == 0 }
        }
        #expect(try gateway.stop() == .exit(0))
        #expect(count(sealed) == 0)
    }

    /// While the gateway serves: its database, what it has not merged yet, the log beside it, and everything else in the folder.
    @Test func nothingSealedStays() throws {
        let workspace = try Setting.workspace(
            Setting.base.replacing("vault: {", with: "vault: {erase: {within: 1s}, ")
                + "audit: {file: data/audit.log}\nretention: [{classifier: short, keep: 30d}]\n")
        let clock = try ShiftedClock(in: workspace)
        var gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        let kept = try create(60, "kept", "", gateway)
        let deleted = try create(60, "deleted", "", gateway)
        let together = try create(60, "together", "", gateway)
        let expiring = try create(60, "expiring", #","ttl":"180d""#, gateway)
        let retained = try create(60, "retained", #","classifiers":["short"]"#, gateway)
        let erased = try create(60, "erased", #","classifiers":["customer-17"]"#, gateway)
        let rows = try rows(workspace, "copy.db")
        func rowsOf(_ aliases: [String]) throws -> [Row] { try aliases.map { try #require(rows[$0]) } }
        // The test can fail: everything is found where it was stored.
        for aliases in [kept, deleted, together, expiring, retained, erased] {
            let rows = try rowsOf(aliases)
            #expect(rows.count == 60 && found(rows, workspace).count == 60)
        }
        func expectGone(_ aliases: [String]) throws {
            let rows = try rowsOf(aliases)
            try eventually("they have left all files") { found(rows, workspace).isEmpty }
            for alias in aliases.prefix(2) { #expect(try gateway.vault("GET", "/aliases/\(alias)").status == 404) }
        }

        for alias in deleted { #expect(try gateway.vault("DELETE", "/aliases/\(alias)").status == 204) }
        try expectGone(deleted)
        for first in stride(from: 0, to: 60, by: 20) {
            let list = together[first..<first + 20].map { #""\#($0)""# }.joined(separator: ",")
            #expect(try gateway.vault("POST", "/aliases/delete", #"{"data":[\#(list)]}"#).status < 300)
        }
        try expectGone(together)
        #expect(try gateway.vault("POST", "/aliases/delete", #"{"classifier":"customer-17"}"#).status == 202)
        try expectGone(erased)
        // Both ends at once: they are erased when the gateway next looks. At a start the clock is believed.
        #expect(try gateway.stop() == .exit(0))
        try clock.set(seconds: 181 * 86_400)
        gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        try expectGone(expiring)
        try expectGone(retained)

        let left = try rowsOf(kept)
        #expect(found(left, workspace).count == 60)
        #expect(try gateway.stop() == .exit(0))
        let gone = try rowsOf(deleted + together + erased + expiring + retained)
        #expect(found(gone, workspace).isEmpty)
    }
}
