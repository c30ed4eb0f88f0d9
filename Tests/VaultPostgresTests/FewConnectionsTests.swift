import PostgresTesting
import Testing
import Vault
import VaultTesting

@testable import VaultPostgres

/// A server that grants fewer connections than the store has threads.
@Suite("Fewer connections than threads", .serialized)
struct FewConnectionsTests {
    /// A store of a role of its own, which may be limited, with an alias.
    private func limited(
        _ connections: Int, _ change: (inout PostgresStoreConfiguration) -> Void = { _ in }
    ) async throws -> (store: PostgresAliasStore, vault: Vault, alias: String, limit: (String) throws -> Void) {
        let server = try PostgresServer.shared()
        let url = try server.database()
        let role = "few\(abs(url.hashValue))"
        let name = url.split(separator: "/").last ?? ""
        try server.query("CREATE ROLE \(role) LOGIN; ALTER DATABASE \(name) OWNER TO \(role)", in: url)
        try server.query("ALTER SCHEMA public OWNER TO \(role)", in: url)
        let store = try store(url.replacing("cloakroom@", with: "\(role):not-to-be-told@")) {
            $0.connections = connections
            change(&$0)
        }
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("x"))
        let limit = { (change: String) in
            try server.query("ALTER ROLE \(role) \(change)", in: url)
            try server.query(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '\(role)'", in: url)
        }
        return (store, vault, alias, limit)
    }

    /// Requests of several callers at once; how many failed.
    private func failures(
        _ vault: Vault, _ alias: String, writes: Int, reads: Int, _ round: String
    ) async -> Int {
        let failed = Gathering(0)
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<8 {
                group.addTask {
                    for number in 0..<max(writes, reads) {
                        if number < writes, (try? await vault.alias(.new("\(round) \(caller) \(number)"))) == nil {
                            failed.add { $0 += 1 }
                        }
                        if number < reads, await vault.value(alias) != "x" { failed.add { $0 += 1 } }
                    }
                }
            }
        }
        return failed.value
    }

    /// The threads that have a connection carry all requests out; the others, which are refused one, fail none.
    @Test(arguments: [(limit: 3, of: 4), (limit: 3, of: 8), (limit: 5, of: 8)])
    func theThreadsThatHaveOneDoTheWork(limit: Int, of connections: Int) async throws {
        let (store, vault, alias, change) = try await limited(connections)
        _ = await failures(vault, alias, writes: 20, reads: 20, "before")
        try change("CONNECTION LIMIT \(limit)")
        // Who has found a connection, until each kind has one.
        for _ in 0..<40 where await failures(vault, alias, writes: 1, reads: 1, "first") > 0 {
            try await Task.sleep(for: .milliseconds(100))
        }
        // Longer than a thread rests.
        let end = ContinuousClock.now + .seconds(4)
        var (failed, round) = (0, 0)
        while ContinuousClock.now < end {
            failed += await failures(vault, alias, writes: 10, reads: 10, "round \(round)")
            #expect(store.failure == nil)
            round += 1
        }
        #expect(failed == 0)
        try change("CONNECTION LIMIT -1")
        #expect(await failures(vault, alias, writes: 10, reads: 10, "after") == 0)
        store.close()
    }

    /// Of two connections one writes and one reads, whoever came first.
    @Test(arguments: [(writes: 20, reads: 0), (writes: 0, reads: 20), (writes: 20, reads: 20)])
    func eachKindHasOne(writes: Int, reads: Int) async throws {
        let (store, vault, alias, change) = try await limited(4)
        _ = await failures(vault, alias, writes: 20, reads: 20, "before")
        try change("CONNECTION LIMIT 2")
        // These take both, where there are none of the others.
        _ = await failures(vault, alias, writes: writes, reads: reads, "first")
        let began = ContinuousClock.now
        while await failures(vault, alias, writes: 1, reads: 1, "second") > 0,
            ContinuousClock.now - began < .seconds(20)
        {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(ContinuousClock.now - began < .seconds(10))
        let end = ContinuousClock.now + .seconds(3)
        var (failed, round) = (0, 0)
        while ContinuousClock.now < end {
            failed += await failures(vault, alias, writes: 10, reads: 10, "round \(round)")
            round += 1
        }
        #expect(failed == 0)
        #expect(store.failure == nil)
        store.close()
    }

    /// Without any connection nobody waits for the others, and the reason is told once, without the URL.
    @Test func whyThereIsNoneIsToldOnce() async throws {
        let told = Gathering<[String]>([])
        let (store, vault, alias, change) = try await limited(4) {
            $0.reportRefusal = { reason in told.add { $0.append(reason) } }
        }
        _ = await failures(vault, alias, writes: 20, reads: 20, "before")
        #expect(told.value.isEmpty)
        try change("NOLOGIN")
        let began = ContinuousClock.now
        #expect(await failures(vault, alias, writes: 20, reads: 20, "meanwhile") == 320)
        #expect(ContinuousClock.now - began < .seconds(5))
        #expect(
            store.failure == .unavailable("the database cannot be reached, refuses connections, or takes no writes"))
        #expect(told.value.count == 1)
        let reason = told.value.first ?? ""
        #expect(reason.contains("is not permitted to log in"))
        #expect(!reason.contains("not-to-be-told") && !reason.contains("postgresql:") && !reason.contains("\n"))
        try change("LOGIN")
        for _ in 0..<40 where await failures(vault, alias, writes: 1, reads: 1, "again") > 0 {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(await failures(vault, alias, writes: 10, reads: 10, "after") == 0)
        #expect(told.value.count == 1)
        store.close()
    }

    /// A store with threads that were refused a connection ends.
    @Test func itEnds() async throws {
        let (store, vault, alias, change) = try await limited(8)
        _ = await failures(vault, alias, writes: 20, reads: 20, "before")
        try change("CONNECTION LIMIT 2")
        _ = await failures(vault, alias, writes: 20, reads: 20, "meanwhile")
        let began = ContinuousClock.now
        store.close()
        #expect(ContinuousClock.now - began < .seconds(4))
    }
}
