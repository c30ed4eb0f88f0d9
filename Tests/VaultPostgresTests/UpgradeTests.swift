import Crypto
import PostgresTesting
import Sensitive
import Testing
import VaultTesting

@testable import Vault
@testable import VaultPostgres

/// Tables of the version before are brought into format 3.
@Suite("Upgrade of a shared vault")
struct UpgradeTests {
    private static let tables = [
        "CREATE TABLE cloakroom_vault (version BIGINT PRIMARY KEY, id BYTEA)",
        """
        CREATE TABLE cloakroom_key (id BIGINT PRIMARY KEY, purpose BIGINT NOT NULL, wrapped BYTEA NOT NULL,
            created_at BIGINT NOT NULL, reserved_uses BIGINT NOT NULL)
        """,
        """
        CREATE TABLE cloakroom_value (id BIGINT PRIMARY KEY, fingerprint BYTEA UNIQUE,
            key BIGINT NOT NULL REFERENCES cloakroom_key (id), sealed BYTEA NOT NULL, classifiers BYTEA,
            created_at BIGINT NOT NULL)
        """,
        """
        CREATE TABLE cloakroom_alias (alias BYTEA PRIMARY KEY, position BIGSERIAL NOT NULL, format BIGINT NOT NULL,
            value BIGINT NOT NULL)
        """,
        "CREATE INDEX cloakroom_alias_value ON cloakroom_alias (value)",
        """
        CREATE TABLE cloakroom_answer (name BYTEA PRIMARY KEY, key BIGINT NOT NULL REFERENCES cloakroom_key (id),
            sealed BYTEA NOT NULL, expires_at BIGINT NOT NULL)
        """,
        "CREATE INDEX cloakroom_answer_expiry ON cloakroom_answer (expires_at)",
        "CREATE SEQUENCE cloakroom_value_id START 1001",
    ]

    private static let name = [UInt8](repeating: 8, count: 32)

    /// A vault of format 2 with a thousand values.
    private func old(_ url: String) throws -> FormatTwo {
        let format = try FormatTwo()
        var configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        configuration.responseTimeout = .seconds(20)
        let connection = try PostgresConnection(configuration, PostgresWaitLimit(configuration.responseTimeout))
        for table in Self.tables { try connection.execute(table) }
        try connection.execute("INSERT INTO cloakroom_vault VALUES (1, \(hex(format.vaultID)))")
        for key in format.keys {
            try connection.execute(
                "INSERT INTO cloakroom_key VALUES (\(key.id), \(key.purpose), \(hex(key.wrapped)), 1700000000, 65536)")
        }
        for id in 1...1_000 as ClosedRange<Int64> {
            // One in five was stored without reuse, one has classifiers, one is damaged.
            let fingerprint = id % 5 == 0 ? "NULL" : hex(try format.fingerprint("value \(id)"))
            let classifiers = id == 7 ? hex(ClassifierCoding.encode(["pci", "é"])) : "NULL"
            var sealed = try format.sealed("value \(id)", id: id)
            if id == 13 { sealed[20] ^= 1 }
            try connection.execute(
                """
                INSERT INTO cloakroom_value VALUES (\(id), \(fingerprint), 2, \(hex(sealed)), \(classifiers), 1700000001);
                INSERT INTO cloakroom_alias (alias, format, value) VALUES (\(hex(Array("alias \(id)".utf8))), 1, \(id)),
                    (\(hex(Array("second \(id)".utf8))), 2, \(id))
                """)
        }
        try connection.execute(
            """
            INSERT INTO cloakroom_answer
            VALUES (\(hex(Self.name)), 2, \(hex(try format.sealed(response: [1, 2], name: Self.name))), 9000000000)
            """)
        return format
    }

    private func hex(_ bytes: [UInt8]) -> String { "'\\x\(Hexadecimal.encode(bytes))'::bytea" }

    private func check(_ store: PostgresAliasStore, _ format: FormatTwo) async throws {
        let vault = try await openVault(store)
        for id in 1...1_000 where id != 13 {
            let revealed = try await vault.reveal(["alias \(id)"])[0].stored
            #expect(revealed.value.exposed == "value \(id)" && revealed.createdAt == 1_700_000_001)
            #expect(revealed.aliases.map(\.alias) == ["alias \(id)", "second \(id)"])
            #expect(revealed.classifiers == (id == 7 ? ["pci", "é"] : []))
        }
        await #expect(throws: VaultError.damaged(alias: "alias 13")) { try await vault.reveal(["alias 13"]) }
        #expect(try await vault.alias(.new("value 1")) == "alias 1")
        #expect(try await vault.alias(.new("value 5")) != "alias 5")
        #expect(try await vault.response(under: Self.name) == [1, 2])
        #expect(vault.key(for: .audit) == (try format.auditKey()))
        let keys = try await store.read { (reading) throws(VaultError) in try reading.keys().map(\.id) }
        #expect(keys == [3, 4, 5, 6, 7, 8])
    }

    @Test func everythingIsFoundAgain() async throws {
        let url = try PostgresServer.shared().database()
        let format = try old(url)
        let first = try store(url)
        try await check(first, format)
        first.close()
        let second = try store(url)
        try await check(second, format)
        second.close()
    }

    /// The conversion stops where the tables refuse a row, as a kill would stop it, and goes on.
    @Test(arguments: [0, 255, 256, 700, 999])
    func anInterruptedUpgradeGoesOn(last: Int) async throws {
        let url = try PostgresServer.shared().database()
        let format = try old(url)
        let stopped = try stoppingStore(url, after: last)
        await #expect(throws: VaultError.self) { try await openVault(stopped) }
        stopped.close()
        _ = try PostgresServer.shared().query("ALTER TABLE cloakroom_value DROP CONSTRAINT stop", in: url)
        let next = try store(url)
        try await check(next, format)
        next.close()
    }

    /// A response that no vault wrote stays known as damaged; an alias of a format that there never was is passed over, and the value's
    /// other one is not.
    @Test func whatCannotBeOpenedIsDamagedAfterwards() async throws {
        let url = try PostgresServer.shared().database()
        _ = try old(url)
        let alias = hex(Array("alias 300".utf8))
        _ = try PostgresServer.shared().query(
            "UPDATE cloakroom_alias SET format = 200 WHERE alias = \(alias); UPDATE cloakroom_answer SET sealed = '\\x0102'",
            in: url)
        let store = try store(url)
        let vault = try await openVault(store)
        #expect(vault.metrics.damaged == 3)
        #expect(await vault.value("alias 300") == nil)
        #expect(try await vault.reveal(["second 300"])[0].stored.aliases.map(\.alias) == ["second 300"])
        await #expect(throws: VaultError.damaged(alias: nil)) { try await vault.response(under: Self.name) }
        #expect(await vault.value("alias 301") == "value 301")
        store.close()
    }

    /// The earlier program can go on with them.
    @Test func aWrongMasterKeyLeavesTheVersion() async throws {
        let url = try PostgresServer.shared().database()
        let format = try old(url)
        let refused = try store(url)
        await #expect(throws: VaultError.wrongMasterKey) {
            try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: refused)
        }
        refused.close()
        var configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        configuration.responseTimeout = .seconds(20)
        #expect(throws: PostgresStoreError.unsupportedVersion(found: 1, expected: 2)) {
            try PostgresAliasStore.keys(configuration, anchorOf: 0)
        }
        let next = try store(url)
        try await check(next, format)
        next.close()
        #expect(try PostgresAliasStore.keys(configuration, anchorOf: 0).keys.count == 6)
    }

    /// Several processes start at once.
    @Test func severalUpgradeTogether() async throws {
        let url = try PostgresServer.shared().database()
        let format = try old(url)
        let stores = try (0..<3).map { _ in try store(url) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores { group.addTask { _ = try await openVault(store) } }
            try await group.waitForAll()
        }
        try await check(stores[0], format)
        for store in stores { store.close() }
    }

    /// A store whose tables refuse to convert the values above an id.
    private func stoppingStore(_ url: String, after id: Int) throws -> PostgresAliasStore {
        let store = try VaultPostgresTests.store(url)
        _ = try PostgresServer.shared().query(
            "ALTER TABLE cloakroom_value ADD CONSTRAINT stop CHECK (binding IS NULL OR id <= \(id)) NOT VALID", in: url)
        return store
    }
}
