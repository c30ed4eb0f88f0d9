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
                for round in 1...2 {
                    let before = answered.value.count
                    while answered.value.count < before + 20, answered.value.count + refused.value < 3_200 {
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                    server.kill()
                    while refused.value < 16 * round, answered.value.count + refused.value < 3_200 {
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                    try? server.start()
                }
            }
        }
        #expect(refused.value > 0)
        #expect(answered.value.count > 20)
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
        // With a second's wait for a connection each it would be forty.
        #expect(ContinuousClock.now - began < .seconds(25))
        #expect(store.failure != nil)
        try server.start()
        for _ in 0..<600 where store.failure != nil {
            try await Task.sleep(for: .milliseconds(100))
            await store.retryAfterFailure()
        }
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
        let patient = try store(url)
        let other = try await openVault(patient)
        let alias = try await other.alias(.new("x"))
        let first = try store(url) { $0.responseTimeout = .seconds(2) }
        let vault = try await openVault(first)
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
        var found = await vault.value(alias)
        for _ in 0..<300 where found != "x" {
            try await Task.sleep(for: .milliseconds(100))
            found = await vault.value(alias)
        }
        #expect(found == "x")
        first.close()
    }

    /// Once one connection is made again, reads and writes both go on: how long the last attempt of the others took is nothing to them.
    @Test func whatOneThreadFindsAgainTheOthersUse() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let store = try store(try server.database() + "?connect_timeout=8") {
            $0.responseTimeout = .seconds(2)
            $0.connections = 2
        }
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("x"))
        server.pause(true)
        let write = { () async throws in
            try await store.write(steps: { (step) throws(VaultError) in try step.run(.selectTime).count })
        }
        let written = Task { try await write() }
        await #expect(throws: VaultError.self) { try await vault.reveal([alias]) }
        await #expect(throws: VaultError.self) { try await written.value }
        // The reader's attempt takes eight seconds: so long it would rest.
        await #expect(throws: VaultError.self) { try await vault.reveal([alias]) }
        server.pause(false)
        #expect(try await write() == 1)
        #expect(await vault.value(alias) == "x")
        store.close()
    }

    /// It is not waited for twice, once for its response and once for a new connection.
    @Test func aServerThatStandsStillIsWaitedForOnce() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let store = try store(try server.database() + "?connect_timeout=50") {
            $0.responseTimeout = .seconds(10)
            // One writer: a second would make its connection first, once the server stands still.
            $0.connections = 2
        }
        let vault = try await openVault(store)
        _ = try await vault.alias(.new("x"))
        server.pause(true)
        let began = ContinuousClock.now
        await #expect(throws: VaultError.self) { try await vault.alias(.new("y")) }
        // Twice would be a minute.
        #expect(ContinuousClock.now - began < .seconds(45))
        server.pause(false)
        store.close()
    }

    /// A session whose settings can't be made is none; a server that lacks one is used without.
    @Test(arguments: [("42704", true), ("0A000", true), ("42501", false), ("53200", false)])
    func settingsOfASession(state: String, isUsed: Bool) throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        try server.setClock(of: url, ahead: 0)
        let function = """
            CREATE FUNCTION shifted.set_config(text, text, boolean) RETURNS text LANGUAGE plpgsql AS
            $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END$$
            """
        try server.query(function, in: url)
        let name = url.split(separator: "/").last ?? ""
        try server.query("ALTER DATABASE \(name) SET synchronous_commit = off", in: url)
        if isUsed {
            try store(url).close()
        } else {
            #expect { try store(url) } throws: { "\($0)".contains(state) }
        }
    }

    /// A row that somebody holds keeps those waiting who want it, and nobody else.
    @Test func aHeldRowHoldsNobodyElseUp() async throws {
        let url = try PostgresServer.shared().database()
        let store = try store(url)
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("held"))
        var configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        configuration.responseTimeout = .seconds(60)
        let stranger = try PostgresConnection(configuration, PostgresWaitLimit(configuration.responseTimeout))
        try stranger.execute("BEGIN; SELECT * FROM cloakroom_value FOR UPDATE")
        let changes = (0..<6).map { number in
            Task { try await vault.replaceClassifiers(of: alias, with: ["\(number)"]) }
        }
        // Without the bound of a transaction's waits it would be that of the session, ten seconds, each time. A machine that stands
        // still for a while does so once.
        var shortest = Duration.seconds(60)
        for round in 0..<3 where shortest > .seconds(8) {
            let began = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 { group.addTask { _ = try await vault.alias(.new("other \(round) \(number)")) } }
                try await group.waitForAll()
            }
            shortest = min(shortest, .now - began)
        }
        #expect(shortest < .seconds(8))
        try stranger.execute("COMMIT")
        for change in changes { try await change.value }
        #expect(store.failure == nil)
        store.close()
    }

    /// One that takes nothing in is not well, however many ask at once; and it is found well again.
    @Test func aServerThatTakesNothingInIsNotWell() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        let store = try store(url)
        let vault = try await openVault(store)
        _ = try await vault.alias(.new("x"))
        try server.query("ALTER TABLE cloakroom_alias ADD CONSTRAINT shut CHECK (length(alias) < 0) NOT VALID", in: url)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask {
                    await #expect(throws: VaultError.self) { try await vault.alias(.new("other \(number)")) }
                }
            }
        }
        #expect(store.failure != nil)
        try server.query("ALTER TABLE cloakroom_alias DROP CONSTRAINT shut", in: url)
        await store.retryAfterFailure()
        #expect(store.failure == nil)
        store.close()
    }

    /// A store is well again only when what failed would not fail once more.
    @Test(arguments: [
        ("REVOKE SELECT ON cloakroom_value FROM ROLE", "GRANT SELECT ON cloakroom_value TO ROLE"),
        ("REVOKE INSERT ON cloakroom_alias FROM ROLE", "GRANT INSERT ON cloakroom_alias TO ROLE"),
        ("REVOKE UPDATE ON cloakroom_value FROM ROLE", "GRANT UPDATE ON cloakroom_value TO ROLE"),
        ("ALTER TABLE cloakroom_alias RENAME TO gone", "ALTER TABLE gone RENAME TO cloakroom_alias"),
        (
            "REVOKE USAGE ON SEQUENCE cloakroom_alias_position_seq FROM ROLE",
            "GRANT USAGE ON SEQUENCE cloakroom_alias_position_seq TO ROLE"
        ),
        (ServerFailureTests.full("cloakroom_value"), "DROP TRIGGER full_disk ON cloakroom_value"),
        (ServerFailureTests.full("cloakroom_alias"), "DROP TRIGGER full_disk ON cloakroom_alias"),
    ])
    func tablesThatCannotBeUsedAreToldOf(change: String, back: String) async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        let role = "app\(abs(url.hashValue))"
        try store(url).close()
        try server.query(
            """
            CREATE ROLE \(role) LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role);
            GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO \(role)
            """, in: url)
        let store = try store(url.replacing("cloakroom@", with: "\(role)@"))
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("x"))
        try server.query(change.replacing("ROLE", with: role), in: url)
        _ = try? await vault.alias(.new("y"))
        _ = try? await vault.reveal([alias])
        #expect(store.failure != nil)
        await store.retryAfterFailure()
        #expect(store.failure != nil)
        try server.query(back.replacing("ROLE", with: role), in: url)
        await store.retryAfterFailure()
        #expect(store.failure == nil)
        #expect(await vault.value(try await vault.alias(.new("y"))) == "y")
        store.close()
    }

    /// While one table has no room, writes to another, or to none, do not make the store well; nor does one that fails otherwise.
    @Test func whatGoesWellElsewhereProvesNothing() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        let store = try store(url)
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("x"))
        try server.query(Self.full("cloakroom_alias"), in: url)
        await #expect(throws: VaultError.self) { try await vault.alias(.new("y")) }
        #expect(store.failure == .unavailable("the database's disk is full"))
        for _ in 0..<3 {
            try await vault.replaceClassifiers(of: alias, with: ["c"])
            try await store.write(steps: { (step) throws(VaultError) in try step.probeWriting() })
            await #expect(throws: VaultError.self) {
                try await store.write(steps: { (step) throws(VaultError) in
                    try step.run(.insertKey, Array(repeating: .null, count: 7)).count
                })
            }
            await store.retryAfterFailure()
            #expect(store.failure != nil)
        }
        try server.query("DROP TRIGGER full_disk ON cloakroom_alias", in: url)
        await store.retryAfterFailure()
        #expect(store.failure == nil)
        store.close()
    }

    /// What a table for which there is no room does: statements that change no row go well.
    private static func full(_ table: String) -> String {
        """
        CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END$$;
        CREATE TRIGGER full_disk BEFORE INSERT ON \(table) FOR EACH ROW EXECUTE FUNCTION no_room()
        """
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

    /// Of several servers of one URL the one that takes writes is asked: a standby does not.
    @Test func aServerThatTakesNoWritesIsNotChosen() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        let writable = try store(url)
        let vault = try await openVault(writable)
        _ = try await vault.alias(.new("x"))
        writable.close()
        let name = try server.query("SELECT current_database()", in: url).split(separator: "\n").joined()
        try server.query("ALTER DATABASE \(name) SET default_transaction_read_only = on", in: url)
        #expect {
            _ = try store(url)
        } throws: {
            "\($0)".contains("session is read-only")
        }
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
