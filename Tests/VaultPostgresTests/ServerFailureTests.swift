import PostgresTesting
import Sensitive
import Testing
import Vault
import VaultTesting

@testable import VaultPostgres

@Suite("A server that fails", .serialized)
struct ServerFailureTests {
    /// What was answered is there after the server was killed while it was written to; who was not answered was told so.
    @Test func whatWasAnsweredOutlivesTheServer() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let url = try server.database()
        let store = try store(url)
        let vault = try await openVault(store)
        let answered = Gathering<[String: String]>([:])
        let refused = Gathering(0)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for number in 0..<200 {
                        let value = "value \(task) \(number)"
                        do {
                            let alias = try await vault.alias(.new(value))
                            answered.add { $0[alias] = value }
                        } catch {
                            refused.add { $0 += 1 }
                            try? await Task.sleep(for: .milliseconds(20))
                        }
                    }
                }
            }
            group.addTask {
                for _ in 0..<2 {
                    try? await Task.sleep(for: .milliseconds(300))
                    server.kill()
                    try? await Task.sleep(for: .milliseconds(200))
                    try? server.start()
                }
            }
        }
        #expect(refused.value > 0)
        #expect(answered.value.count > 100)
        for (alias, value) in answered.value where await vault.value(alias) != value {
            Issue.record("lost \(value)")
        }
        store.close()
    }

    @Test func aServerThatIsGoneIsToldOfAtOnceAndFoundAgain() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let store = try store(try server.database())
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("x"))
        server.kill()
        let began = ContinuousClock.now
        for _ in 0..<20 {
            await #expect(throws: VaultError.self) { try await vault.alias(.new("y")) }
            await #expect(throws: VaultError.self) { try await vault.reveal([alias]) }
        }
        #expect(ContinuousClock.now - began < .seconds(5))
        #expect(store.failure != nil)
        try server.start()
        try await Task.sleep(for: .milliseconds(1_100))
        await store.retryAfterFailure()
        #expect(store.failure == nil)
        #expect(await vault.value(alias) == "x")
        #expect(await vault.value(try await vault.alias(.new("y"))) == "y")
        store.close()
    }

    /// A server that stands still keeps nobody waiting for ever, and no process from ending.
    @Test func aServerThatStandsStillIsGivenUp() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let url = try server.database() + "?connect_timeout=2"
        let first = try store(url) { $0.patience = .milliseconds(500) }
        let vault = try await openVault(first)
        let alias = try await vault.alias(.new("x"))
        let patient = try store(url)
        let other = try await openVault(patient)
        _ = try await other.alias(.new("x"))
        server.pause(true)
        let began = ContinuousClock.now
        await #expect(throws: VaultError.self) { try await vault.alias(.new("y")) }
        await #expect(throws: VaultError.self) { try await vault.reveal([alias]) }
        #expect(ContinuousClock.now - began < .seconds(30))
        #expect(first.failure != nil)
        let waiting = Task { try await other.alias(.new("z")) }
        try await Task.sleep(for: .milliseconds(100))
        patient.close()
        await #expect(throws: VaultError.self) { try await waiting.value }
        #expect(ContinuousClock.now - began < .seconds(50))
        server.pause(false)
        for _ in 0..<300 where await vault.value(alias) != "x" { try await Task.sleep(for: .milliseconds(100)) }
        #expect(await vault.value(alias) == "x")
        first.close()
    }

    /// A connection that was cut while nobody used it is made anew, and nobody notices.
    @Test func cutConnectionsAreMadeAnew() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        let store = try store(url)
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("x"))
        try server.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
            in: url)
        #expect(await vault.value(alias) == "x")
        #expect(await vault.value(try await vault.alias(.new("y"))) == "y")
        #expect(store.failure == nil)
        store.close()
    }

    /// One request that the server cannot carry out is refused alone.
    @Test func aRequestThatTheServerRefusesFailsAlone() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        let store = try store(url)
        let vault = try await openVault(store)
        _ = try await vault.alias(.new("x"))
        try server.query("ALTER TABLE cloakroom_alias ADD CHECK (length(alias) < 40)", in: url)
        await #expect(throws: VaultError.unavailable("the database failed (SQLSTATE 23514)")) {
            try await vault.create([.new(String(repeating: "x", count: 64), .alphanumericLengthPreserving)])
        }
        #expect(await vault.value(try await vault.alias(.new("y"))) == "y")
        #expect(store.failure == nil)
        store.close()
    }
}
