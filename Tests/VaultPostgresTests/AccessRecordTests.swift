import PostgresTesting
import Testing
import Vault
import VaultPostgres
import VaultTesting

@Suite("Rows about callers, shared")
struct AccessRecordTests {
    @Test func keepsThemForAllProcesses() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let vaults = [try await openVault(stores[0]), try await openVault(stores[1])]
        #expect(try await AccessRecordRun(vaults).problem() == nil)
        for store in stores { store.close() }
        let next = try store(url)
        #expect(try await !AccessRecordRun.use(openVault(next)))
        #expect(try await AccessRecordRun.use(openVault(next), of: 31))
        next.close()
    }

    @Test func believesNoChangedRow() async throws {
        let url = try PostgresServer.shared().database()
        let store = try store(url)
        let run = TamperedAccessRun(
            try await openVault(store), table: "cloakroom_access",
            hexadecimal: "kind, encode(name, 'hex'), encode(content, 'hex'), forgotten_at",
            literal: { "decode('\($0)', 'hex')" },
            query: { sql in
                try PostgresServer.shared().query(sql, in: url).split(separator: "\n").map { line in
                    line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
                }
            })
        #expect(try await run.problem(flips: 40) == nil)
        store.close()
    }

    /// Tables of this format from before there were such rows.
    @Test func gainsTheTable() async throws {
        let url = try PostgresServer.shared().database()
        let first = try store(url)
        let alias = try await openVault(first).alias(.new("x"))
        first.close()
        _ = try PostgresServer.shared().query("DROP TABLE cloakroom_access", in: url)
        let second = try store(url)
        let vault = try await openVault(second)
        #expect(await vault.value(alias) == "x")
        #expect(try await AccessRecordRun([vault]).problem() == nil)
        second.close()
    }
}
