import Testing

@testable import VaultSQLite

@Suite("Parameters of statements") struct BoundParameterTests {
    /// A statement whose parameter could not be set does not run with what it had before.
    @Test func aParameterThatCannotBeSet() throws {
        let database = TestDatabase()
        try database.store().close()
        let connection = try SQLiteConnection(path: database.path)
        let statement = try connection.prepare("SELECT ?1")
        statement.bind(7, at: 1)
        #expect(try statement.step() && statement.integer(0) == 7)
        // Not while it runs (SQLITE_MISUSE), and there is no second one (SQLITE_RANGE).
        for spoil in [
            { statement.bind([1], at: 1) },
            {
                statement.reset()
                statement.bind("x", at: 2)
            },
        ] {
            spoil()
            #expect(throws: SQLiteFailure.self) { try statement.step() }
        }
        statement.reset()
        statement.bind(8, at: 1)
        #expect(try statement.step() && statement.integer(0) == 8)
        statement.reset()
    }
}
