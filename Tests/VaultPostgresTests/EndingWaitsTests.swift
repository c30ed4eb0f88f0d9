import PostgresTesting
import Sensitive
import Testing
import Vault
import VaultTesting

@testable import VaultPostgres

/// The end of a process, however its database stands.
@Suite("Waits before the end", .serialized)
struct EndingWaitsTests {
    /// Neither a response that does not come nor a connection that is not made keeps a request, or the store from being closed.
    @Test(arguments: [true, false])
    func aServerThatDoesNotRespondKeepsNobody(hasConnections: Bool) async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let url = try server.database()
        let store = try store(url + "?connect_timeout=60")
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("x"))
        if !hasConnections {
            let others = "datname = current_database() AND pid <> pg_backend_pid()"
            try server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(others)", in: url)
        }
        server.pause(true)
        // More than there are threads: some wait in the queue.
        let waiting = (0..<6).map { number in
            Task {
                await #expect(throws: VaultError.self) { try await vault.alias(.new("new \(number)")) }
                await #expect(throws: VaultError.self) { try await vault.reveal([alias]) }
            }
        }
        try await Task.sleep(for: .milliseconds(300))
        let began = ContinuousClock.now
        store.endWaitsSoon()
        for task in waiting { await task.value }
        await #expect(throws: VaultError.self) { try await vault.alias(.new("last")) }
        store.close()
        // Five seconds, and some for a machine that is busy; it was twelve and more.
        #expect(ContinuousClock.now - began < .seconds(9))
    }

    /// What was begun before, and what is begun afterwards.
    @Test func whatTheServerRespondsToIsCarriedOut() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let store = try store(try server.database())
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("x"))
        server.pause(true)
        let written = Task { try await vault.alias(.new("y")) }
        let read = Task { try await vault.reveal([alias]).count }
        try await Task.sleep(for: .milliseconds(100))
        store.endWaitsSoon()
        try await Task.sleep(for: .milliseconds(300))
        server.pause(false)
        #expect(await vault.value(try await written.value) == "y")
        #expect(try await read.value == 1)
        // The waits that were full ones end now; these are none.
        try await Task.sleep(for: .seconds(2))
        #expect(await vault.value(try await vault.alias(.new("z"))) == "z")
        // What has not begun, which a limit tells, is not begun any more.
        let limit = WaitLimit(since: .now, maximum: .seconds(60))
        await #expect(throws: VaultError.overloaded) { try await vault.create([.new("late")], within: limit) }
        let name = [UInt8](repeating: 7, count: 32)
        await #expect(throws: VaultError.overloaded) {
            try await vault.claimResponse(name, with: [1], for: 60, within: limit)
        }
        store.close()
    }

    /// Who waits for a row that another process holds gets an end, and does not end what others do.
    @Test func aHeldRowKeepsNobody() async throws {
        let url = try PostgresServer.shared().database()
        let store = try store(url)
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("held"))
        let configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        let stranger = try PostgresConnection(configuration, PostgresWaitLimit(.seconds(60)))
        try stranger.execute("BEGIN; SELECT * FROM cloakroom_value FOR UPDATE")
        let change = Task { try await vault.replaceClassifiers(of: alias, with: ["c"]) }
        try await Task.sleep(for: .milliseconds(300))
        let began = ContinuousClock.now
        store.endWaitsSoon()
        await #expect(throws: VaultError.unavailable("the database took too long")) { try await change.value }
        if ContinuousClock.now - began < .seconds(4) {
            #expect(await vault.value(try await vault.alias(.new("other"))) == "other")
        }
        store.close()
        try stranger.execute("ROLLBACK")
    }
}
