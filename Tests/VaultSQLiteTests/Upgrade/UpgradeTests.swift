import Glibc
import Sensitive
import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

/// A vault that was made by the last version of format 2 (`Fixtures/format2.db`).
@Suite("Upgrade from format 2") struct UpgradeTests {
    /// What that version answered with.
    private static let aliases = [
        "tok_sandbox_UhEi217tPWPY7cY6mSLcLP": "value 0", "tok_sandbox_SyEM4yhfaJmBex9Cq66NBN": "value 1",
        "tok_sandbox_VCwq9r4c2xTuqFCNyDJDnP": "value 2", "tok_sandbox_BRDbM2zXZEqbENtx7f2s83": "value 3",
        "tok_sandbox_HA6LSN3Tngzryd92TyJpZo": "value 10", "4539607021754134": "4539600166594134",
        "tok_sandbox_MGFG3aEAqfi225NAMvDxVK": "4539600166594134",
        "66869a97-3d10-4048-a53b-55dd8f54598c": "value 0",
    ]
    private static let deleted = "tok_sandbox_5tffLtsnSwDsbxDHFZqBDp"

    @Test func everythingIsThereAfterwards() async throws {
        let database = try fixture()
        var store = try database.store()
        var vault = try await Vault.open(VaultConfiguration(), masterKey: key(), store: store)
        for _ in 0..<2 {
            try await expectEverything(in: vault)
            store.close()
            store = try database.store()
            vault = try await Vault.open(VaultConfiguration(), masterKey: key(), store: store)
        }
        store.close()
        let connection = try SQLiteConnection(path: database.path)
        #expect(try connection.number("PRAGMA user_version") == 3)
        #expect(try connection.number("PRAGMA auto_vacuum") == 2)
        #expect(try connection.number("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'old%'") == 0)
    }

    /// The files as a kill leaves them when values have been converted, and the old tables are still there.
    @Test func goesOnWhereItWasInterrupted() async throws {
        let database = try fixture()
        let killed = TestDatabase()
        let store = try database.store { configuration in
            configuration.upgradeProgress = { converted, all in
                #expect(converted == all && all == 12)
                for suffix in ["", "-wal"] { killed.write(database.bytes(suffix), suffix) }
            }
        }
        _ = try await Vault.open(VaultConfiguration(), masterKey: key(), store: store)
        store.close()
        let next = try killed.store()
        try await expectEverything(in: try await Vault.open(VaultConfiguration(), masterKey: key(), store: next))
        next.close()
    }

    @Test func aWrongMasterKeyChangesNothing() async throws {
        let database = try fixture()
        let before = database.bytes("")
        let store = try database.store()
        await #expect(throws: VaultError.wrongMasterKey) {
            try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: store)
        }
        store.close()
        #expect(database.bytes("") == before)
    }

    /// What cannot be opened is still known, as damaged; a key of a request that was carried out stays one. All else is converted.
    @Test func whatCannotBeOpenedIsDamagedAfterwards() async throws {
        let database = try fixture()
        let names = (UInt8(0)..<2).map { [UInt8](repeating: $0, count: 32) }
        try change(
            database,
            """
            UPDATE value SET sealed = zeroblob(35) WHERE id = 2;
            UPDATE alias SET format = 200 WHERE value = 3 OR alias = '66869a97-3d10-4048-a53b-55dd8f54598c';
            INSERT INTO answer (name, key, sealed, expires_at)
            VALUES (zeroblob(32), 2, zeroblob(40), 9000000000),
                (x'\(String(repeating: "01", count: 32))', 7, zeroblob(40), 9000000000)
            """)
        let store = try database.store()
        let vault = try await Vault.open(VaultConfiguration(), masterKey: key(), store: store)
        #expect(vault.metrics.damaged == 5)
        try await vault.sweepResponses()
        let damaged = "tok_sandbox_SyEM4yhfaJmBex9Cq66NBN"
        await #expect(throws: VaultError.damaged(alias: damaged)) { try await vault.reveal([damaged]) }
        #expect(await vault.value("tok_sandbox_VCwq9r4c2xTuqFCNyDJDnP") == nil)
        for name in names {
            await #expect(throws: VaultError.damaged(alias: nil)) { try await vault.response(under: name) }
            await #expect(throws: VaultError.damaged(alias: nil)) {
                try await vault.claimResponse(name, with: [1], for: 100)
            }
        }
        #expect(await vault.value("tok_sandbox_UhEi217tPWPY7cY6mSLcLP") == "value 0")
        store.close()
    }

    /// What may still be put back is not given up: nothing is converted then.
    @Test(arguments: [
        (
            "UPDATE value SET key = 7 WHERE id > 6",
            "values are sealed under key 7, which the vault does not have: put its row back from a copy"
        ),
        (
            "UPDATE key SET wrapped = zeroblob(length(wrapped)) WHERE id = 2",
            "key 2 cannot be unwrapped, though others can"
        ),
        ("DELETE FROM key WHERE id = 2", "the vault's keys are missing"),
    ])
    func aVaultThatLacksAKeyIsRefused(change: String, reason: String) async throws {
        let database = try fixture()
        try self.change(database, change)
        let store = try database.store()
        await #expect(throws: VaultError.corrupt(reason)) {
            try await Vault.open(VaultConfiguration(), masterKey: key(), store: store)
        }
        store.close()
        let connection = try SQLiteConnection(path: database.path)
        #expect(try connection.number("PRAGMA user_version") == 2)
        #expect(try connection.number("SELECT count(*) FROM value WHERE length(sealed) > 30") == 12)
    }

    private func change(_ database: TestDatabase, _ statements: String) throws {
        try SQLiteConnection(path: database.path).execute(statements)
    }

    private func expectEverything(in vault: Vault) async throws {
        for (alias, value) in Self.aliases { #expect(await vault.value(alias) == value) }
        #expect(await vault.value(Self.deleted) == nil)
        #expect(try await vault.alias(.new("value 2")) == "tok_sandbox_VCwq9r4c2xTuqFCNyDJDnP")
        let first = try await vault.reveal(["tok_sandbox_UhEi217tPWPY7cY6mSLcLP"])[0].stored
        #expect(first.classifiers == ["a", "é"])
        #expect(first.aliases.map(\.format) == [.uuid, .rawUUID])
    }

    private func key() throws -> MasterKey {
        try MasterKey(text: "d95e73432f2c5daed7e47c0dcb725494b10ccd9ed191b9b3b048e2cbd54c0731")
    }

    private func fixture() throws -> TestDatabase {
        let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let file = try #require(fopen("/\(folder)/Fixtures/format2.db", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        let database = TestDatabase()
        database.write(Array(bytes.prefix(count)), "")
        return database
    }
}
