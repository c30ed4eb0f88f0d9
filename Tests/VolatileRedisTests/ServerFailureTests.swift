import EventIO
import RedisTesting
import Sensitive
import Testing
import VaultTesting

@testable import Vault
@testable import VolatileRedis

@Suite("Failures of the server of volatile values")
struct ServerFailureTests {
    /// Refused at start: it would write values to a disk, or lose them.
    @Test(arguments: [
        (["--save", "900 1", "--appendonly", "no"], "set save \"\""),
        (["--save", "", "--appendonly", "yes"], "set appendonly no"),
        (RedisServer.inMemory + ["--repl-diskless-sync", "no"], "set repl-diskless-sync yes"),
        (RedisServer.inMemory + ["--shutdown-on-sigterm", "save"], "set shutdown-on-sigterm nosave"),
        (
            RedisServer.inMemory + ["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"],
            "set maxmemory-policy noeviction"
        ),
        (RedisServer.inMemory + ["--rename-command", "CONFIG", "\"\""], "can't be read"),
    ])
    func unsuitableSettings(arguments: [String], reason: String) async throws {
        let server = try RedisServer(arguments)
        defer { server.remove() }
        await #expect { _ = try await RedisVolatileStore(server.configuration) } throws: { "\($0)".contains(reason) }
    }

    @Test func credentials() async throws {
        let server = try RedisServer(
            RedisServer.inMemory + ["--requirepass", "geheim", "--user", "vault", "on", ">wort", "~*", "+@all"])
        defer { server.remove() }
        var configuration = server.configuration
        for (user, password, isRight) in [
            (nil, nil, false), (nil, "falsch", false), (nil, "geheim", true), ("vault", "wort", true),
            ("vault", "geheim", false),
        ] as [(String?, String?, Bool)] {
            (configuration.username, configuration.password) = (user, password.map { SensitiveText($0) })
            configuration.database = 3
            do {
                try await RedisVolatileStore(configuration).close()
                #expect(isRight)
            } catch {
                #expect(!isRight && error.description.contains("refuses the credentials"), "\(error)")
            }
        }
    }

    /// Settings that were changed while it runs are found by the next check, and by the next connection.
    @Test func settingsChangeLater() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let (vault, store) = (setting.vaults[0], setting.stores[0])
        let alias = try await vault.alias(.cvc("planted-48271"))
        try setting.server.run("CONFIG", "SET", "appendonly", "yes")
        await #expect(throws: VaultError.self) { try await vault.checkVolatile() }
        await #expect(throws: VaultError.self) { try await vault.reveal([alias]) }
        #expect("\(vault.volatileFailure.map { "\($0)" } ?? "")".contains("appendonly"))
        #expect(store.failure != nil)
        // What is persistent goes on.
        let name = try await vault.alias(.value(SensitiveText("Ann Li"), format: .uuid))
        #expect(await vault.value(name) == "Ann Li")
        try setting.server.run("CONFIG", "SET", "appendonly", "no")
        try await recovery(of: vault)
        #expect(await vault.value(alias) == "planted-48271")
        #expect(!setting.server.filesHold("planted-48271"))
    }

    @Test func killedAndStartedAgain() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        let alias = try await vault.alias(.cvc("planted-5739"))
        setting.server.kill()
        await #expect(throws: VaultError.self) { try await vault.reveal([alias]) }
        await #expect(throws: VaultError.self) { try await vault.create([.cvc("321")]) }
        #expect(vault.volatileFailure != nil)
        try setting.server.start()
        try await recovery(of: vault)
        // Nothing was written to a disk, so that nothing is left.
        await #expect(throws: VaultError.unknownAliases([alias])) { try await vault.reveal([alias]) }
        let other = try await vault.alias(.cvc("321"))
        #expect(await setting.vaults[1].value(other) == "321")
        #expect(!setting.server.filesHold("planted-5739"))
    }

    /// A server that could not be reached is not asked again within a second: requests fail at once meanwhile.
    @Test func aServerThatCannotBeReachedIsLeftAlone() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        _ = try await vault.alias(.cvc("321"))
        setting.server.kill()
        // The connection that was used is given up; another can't be made.
        let before = ContinuousClock.now
        await #expect(throws: VaultError.self) { try await vault.create([.cvc("321")]) }
        await #expect(throws: VaultError.self) { try await vault.create([.cvc("321")]) }
        try setting.server.start()
        if (try? await vault.create([.cvc("321")])) != nil {
            #expect(ContinuousClock.now - before >= .seconds(1))
        }
        try await recovery(of: vault)
        _ = try await vault.alias(.cvc("321"))
    }

    /// A server that stands still is given up; those who wait behind fail at once.
    @Test func paused() async throws {
        let setting = try await Setting(timeout: .seconds(5))
        defer { setting.remove() }
        let vault = setting.vaults[0]
        let alias = try await vault.alias(.cvc("321"))
        setting.server.pause(true)
        let began = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                // All begin at once: one that began after others had failed might ask the server again.
                group.addTask { await #expect(throws: VaultError.self) { try await vault.reveal([alias]) } }
                group.addTask {
                    await #expect(throws: VaultError.self) { try await vault.create([.cvc("321")]) }
                }
            }
        }
        // One after the other would take minutes.
        #expect(ContinuousClock.now - began < .seconds(30))
        setting.server.pause(false)
        try await recovery(of: vault)
        #expect(await vault.value(alias) == "321")
    }

    /// A change that got no reply may have been made, and the caller is told; a reading has changed nothing.
    @Test(arguments: [true, false])
    func noReply(toAChange: Bool) async throws {
        let setting = try await Setting(timeout: .seconds(5))
        defer { setting.remove() }
        let store = setting.stores[0]
        setting.server.pause(true)
        if toAChange {
            let change = SharedVolatileChange(
                name: "n",
                replacement: SharedVolatileChange.Replacement(sealed: [1], lifetime: 1_000, added: ["a"]))
            await #expect(throws: VaultError.outcomeUnknown("Redis took too long")) {
                try await store.apply([change], in: "v", capacity: 1)
            }
        } else {
            await #expect(throws: VaultError.unavailable("Redis took too long")) {
                try await store.values(ofAliases: ["a"], in: "v")
            }
        }
    }

    @Test func filled() async throws {
        let setting = try await Setting(RedisServer.inMemory + ["--maxmemory-policy", "noeviction"])
        defer { setting.remove() }
        let vault = setting.vaults[0]
        let alias = try await vault.alias(.cvc("321"))
        try setting.server.run("CONFIG", "SET", "maxmemory", "1mb")
        await #expect(throws: VaultError.unavailable("Redis has no memory left (maxmemory)")) {
            try await vault.create([.cvc("321")])
        }
        #expect(vault.volatileFailure == .unavailable("Redis has no memory left (maxmemory)"))
        // Reading and deleting go on; reading does not tell that there is room again.
        #expect(await vault.value(alias) == "321")
        #expect(vault.volatileFailure != nil)
        await #expect(throws: VaultError.self) { try await vault.checkVolatile() }
        try await vault.delete([alias])
        try setting.server.run("CONFIG", "SET", "maxmemory", "0")
        try await recovery(of: vault)
        _ = try await vault.alias(.cvc("321"))
    }

    /// Persistent aliases, those that look as volatile ones could too, don't depend on the server.
    @Test func persistentAliasesGoOn() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        let alias = try await vault.alias(.value(SensitiveText("Ann Li"), format: .rawUUID))
        setting.server.kill()
        let reference = VaultItem.reference(alias: alias, format: .uuid)
        #expect(try await vault.references(in: [reference]) == [alias])
        #expect(try await vault.volatileReferences(in: [reference]).isEmpty)
        #expect(try await vault.create([reference])[0].aliases.count == 2)
        try await vault.replaceClassifiers(of: alias, with: ["changed"])
        #expect(try await vault.reveal([alias])[0].stored.classifiers == ["changed"])
        try await vault.delete([alias])
        // Whether this one is there cannot be said.
        await #expect(throws: VaultError.self) { try await vault.delete([alias]) }
        await #expect(throws: VaultError.self) { try await vault.replaceClassifiers(of: alias, with: []) }
    }

    /// A refusal of writes stays told until something was stored, whatever is read meanwhile.
    @Test(arguments: ["permission", "replica", "other type"]) func refusedWrites(reason: String) async throws {
        let setting = try await Setting(RedisServer.inMemory + ["--user", "vault", "on", "nopass", "~*", "+@all"])
        defer { setting.remove() }
        let (vault, server) = (setting.vaults[0], setting.server)
        let alias = try await vault.alias(.cvc("321"))
        let ends = try server.run("KEYS", "*:ends").trimmingLineEnd
        switch reason {
        case "permission": try server.run("ACL", "SETUSER", "default", "-set")
        case "replica": try server.run("REPLICAOF", "127.0.0.1", "1")
        default:
            try server.run("RENAME", ends, "kept")
            try server.run("SET", ends, "text")
        }
        await #expect(throws: VaultError.self) { try await vault.create([.cvc("321")]) }
        #expect(vault.volatileFailure != nil)
        for _ in 0..<3 { _ = try? await vault.reveal([alias]) }
        #expect(vault.volatileFailure != nil)
        await #expect(throws: VaultError.self) { try await vault.checkVolatile() }
        #expect(vault.volatileFailure != nil)
        switch reason {
        case "permission": try server.run("ACL", "SETUSER", "default", "+set")
        case "replica": try server.run("REPLICAOF", "NO", "ONE")
        default: try server.run("RENAME", "kept", ends)
        }
        try await recovery(of: vault)
        #expect(await vault.value(try await vault.alias(.cvc("321"))) == "321")
    }

    /// Who waits for a reply is told when the store is closed.
    @Test func closedMeanwhile() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        let alias = try await vault.alias(.cvc("321"))
        setting.server.pause(true)
        let waiting = (0..<3).map { _ in Task { try await vault.reveal([alias]) } }
        try await Task.sleep(for: .milliseconds(200))
        let began = ContinuousClock.now
        setting.stores[0].close()
        for task in waiting { await #expect(throws: VaultError.self) { try await task.value } }
        #expect(ContinuousClock.now - began < .seconds(30))
        await #expect(throws: VaultError.self) { try await vault.reveal([alias]) }
        setting.server.pause(false)
    }

    /// What listens there is no server of Redis.
    @Test func otherProtocol() async throws {
        let server = try RedisServer()
        defer { server.remove() }
        server.kill()
        await #expect { _ = try await RedisVolatileStore(server.configuration) } throws: {
            "\($0)".contains("cannot be reached")
        }
    }

    /// A server that never comes to an end, or announces more than it may send, is given up in time and without memory for it.
    @Test(arguments: [
        ("+", "x", "Redis took too long"), ("*268435456\r\n", "", "does not speak its protocol"),
        ("*65537\r\n", "", "does not speak its protocol"), ("*65536\r\n", "", "Redis took too long"),
    ])
    func aServerThatSendsTooMuch(beginning: String, rest: String, reason: String) async throws {
        let server = try RedisImpostor(beginning: beginning, thenEndlessly: rest)
        defer { server.stop() }
        var configuration = RedisConfiguration(host: "127.0.0.1", port: UInt16(server.port))
        configuration.timeout = .seconds(1)
        await #expect { _ = try await RedisVolatileStore(configuration) } throws: { "\($0)".contains(reason) }
    }

    private func recovery(of vault: Vault) async throws {
        for _ in 0..<400 {
            try? await vault.checkVolatile()
            if vault.volatileFailure == nil { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it does not recover: \(String(describing: vault.volatileFailure))")
    }
}
