import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

/// Settings that no call returns a trace of, asked of the connections themselves.
@Suite struct DurableSettingTests {
    @Test(arguments: [
        // FULL; a log; in memory.
        ("synchronous", 2), ("secure_delete", 1), ("temp_store", 2), ("trusted_schema", 0), ("cell_size_check", 1),
        ("wal_autocheckpoint", 0),
    ])
    func bothConnectionsHaveIt(name: String, value: Int64) throws {
        let database = TestDatabase()
        let store = try database.store()
        for connection in [store.connections.writer, store.connections.reader] {
            let found = connection.use { transaction in try? transaction?.connection.number("PRAGMA \(name)") }
            #expect(found == value)
        }
        store.close()
    }

    @Test func theReaderDoesNotWrite() throws {
        let database = TestDatabase()
        let store = try database.store()
        let only = [store.connections.writer, store.connections.reader].map { connection in
            connection.use { transaction in try? transaction?.connection.number("PRAGMA query_only") }
        }
        #expect(only == [0, 1])
        store.close()
    }
}
