import Glibc
import PostgresTesting
import Sensitive
import Testing
import VaultTesting

@testable import VaultPostgres

@Suite("Connection URLs and durability")
struct PostgresURLTests {
    @Test(arguments: [
        ("postgresql://u@db.example/v?sslmode=verify-full", true),
        ("postgres://u@db.example/v?a=b&sslmode=verify-full", true),
        ("postgresql://u@db.example/v?ssl%6dode=verify%2Dfull", true), ("postgresql://localhost/v", true),
        ("postgresql://u:p@127.0.0.1:5432,[::1]:5433/v", true), ("postgresql://%2Frun%2Fpostgresql/v", true),
        // What only looks like it.
        ("postgresql://u@db.example/v?application_name=sslmode=verify-full", false),
        ("postgresql://u@db.example/sslmode=verify-full", false),
        ("postgresql://u@db.example/v?sslmode=require", false),
        ("postgresql://u@db.example/v?sslmode=verify-full&sslmode=disable", false),
        ("postgresql://sslmode=verify-full@db.example/v", false), ("postgresql://localhost/v?host=db.example", false),
        ("postgresql://localhost/v?hostaddr=10.0.0.1", false), ("postgresql://localhost,db.example/v", false),
        ("postgresql://localhost.example/v", false), ("postgresql://u@db.example/v?sslmode=%zz", false),
    ])
    func verification(url: String, isVerified: Bool) {
        #expect(PostgresURL(SensitiveText(url))?.isServerVerified == isVerified)
    }

    @Test func otherSchemes() {
        #expect(PostgresURL(SensitiveText("mysql://localhost/v")) == nil)
    }

    /// A server that acknowledges before it syncs is refused unless that is accepted by name.
    @Test func riskyServers() throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let url = try server.database()
        let connection = try PostgresConnection(
            PostgresStoreConfiguration(url: SensitiveText(url)), PostgresWaitLimit(.seconds(5)))
        func set(_ name: String, _ value: String) throws {
            try connection.execute("ALTER SYSTEM SET \(name) = \(value)")
            try connection.execute("SELECT pg_reload_conf()")
            while try connection.execute("SHOW \(name)").text(0, 0) != value { usleep(10_000) }
        }
        for name in ["fsync", "full_page_writes"] { try set(name, "on") }
        try store(url) { $0.acceptedRisks = [] }.close()
        for (name, risk) in [("full_page_writes", PostgresRisk.tornPages), ("fsync", .fsyncOff)] {
            try set(name, "off")
            #expect(throws: PostgresStoreError.notDurable([risk])) { try store(url) { $0.acceptedRisks = [] } }
            try store(url) { $0.acceptedRisks = [risk] }.close()
            try set(name, "on")
        }
        let risks = connection.risks()
        // Our own sessions ask for a synced commit where the server's default is not to.
        try connection.execute("SET synchronous_commit = 'off'")
        #expect(connection.risks() == risks + [.asynchronousCommit])
        try store(url).close()
    }
}
