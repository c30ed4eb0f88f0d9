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
        // JDBC's word for `require`, in its turn.
        ("postgresql://u@db.example/v?sslmode=verify-full&ssl=true", false),
        ("postgresql://u@db.example/v?ssl=true&sslmode=verify-full", true),
        ("postgresql://u@db.example/v?sslmode=verify-full&ssl=false", true), ("postgresql:///v", true),
    ])
    func verification(url: String, isVerified: Bool) {
        #expect(PostgresURL(SensitiveText(url))?.isServerVerified { _ in false } == isVerified)
    }

    /// What the URL leaves out is taken from the environment: an address even where it names a host.
    @Test(arguments: [
        ("postgresql:///v", "PGHOST", false), ("postgresql://localhost/v", "PGHOST", true),
        ("postgresql:///v", "PGHOSTADDR", false), ("postgresql://localhost/v", "PGHOSTADDR", false),
        ("postgresql:///v", "PGSERVICE", false), ("postgresql://localhost/v", "PGSERVICE", false),
        ("postgresql:///v?sslmode=verify-full", "PGHOST", true), ("postgresql:///v", "PGUSER", true),
    ])
    func environment(url: String, variable: String, isVerified: Bool) {
        #expect(PostgresURL(SensitiveText(url))?.isServerVerified { $0 == variable } == isVerified)
    }

    @Test(
        arguments: [
            ("postgresql://u@db.example/v", nil), ("postgresql://db.example:5432,[::1]:65535,c/v", nil),
            ("postgresql://db.example:/v?port=1,,65535", nil),
            ("postgresql://h/v?sslmode=verify-ca&sslrootcert=system", nil),
            ("postgresql://h/v?sslrootcert=%2Fdev%2Fnull", nil), ("postgresql:///v", nil),
            ("postgresql://h:0/v", "a port is from 1 to 65535"),
            ("postgresql://h:65536/v", "a port is from 1 to 65535"),
            ("postgresql://h:abc/v", "a port is from 1 to 65535"),
            ("postgresql://a,[::1]:-1/v", "a port is from 1 to 65535"),
            ("postgresql://h/v?port=99999", "a port is from 1 to 65535"),
            (
                "postgresql://h/v?sslmode=bogus",
                "sslmode is one of disable, allow, prefer, require, verify-ca, verify-full"
            ),
            ("postgresql://h/v?sslrootcert=/nowhere/ca.pem", "the file of sslrootcert cannot be read"),
            ("postgresql://h/v?sslcert=/nowhere/c.pem", "the file of sslcert cannot be read"),
            ("postgresql://h/v?sslkey=/nowhere/c.key", "the file of sslkey cannot be read"),
            (
                "postgresql://h/v?sslmode=verify-full",
                "sslmode verifies the server, and needs a file with authorities: add sslrootcert=FILE"
            ),
            ("postgresql://u@%2Frun%2Fpg/v?sslmode=verify-full", nil), ("postgresql:///v?sslmode=verify-full", nil),
            ("postgresql:///v?host=/run/pg&sslmode=verify-full", nil), ("postgresql://h/v?sslkey=pkcs11:key", nil),
            ("postgresql://h/v?sslmode=disable&sslcert=/nowhere", nil),
            ("postgresql://h/v?sslmode=verify-full&service=s", nil), ("postgresql://h/v?sslmode=require", nil),
        ] as [(String, String?)])
    func fault(url: String, fault: String?) {
        let url = PostgresURL(SensitiveText(url))
        #expect(url?.fault(opensFiles: true) == fault)
        #expect(url?.fault(opensFiles: false) == (fault?.contains("file") == true ? nil : fault))
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
        // Where a standby is to have every commit, one that does not wait for its sync there may be lost with this server.
        for level in ["local", "remote_write"] {
            try connection.execute("SET synchronous_commit = '\(level)'")
            #expect(connection.risks() == risks, "\(level)")
            try set("synchronous_standby_names", "standby")
            #expect(connection.risks() == risks + [.asynchronousCommit], "\(level)")
            try connection.execute("ALTER SYSTEM RESET synchronous_standby_names")
            try connection.execute("SELECT pg_reload_conf()")
            while try !connection.execute("SHOW synchronous_standby_names").text(0, 0).isEmpty { usleep(10_000) }
        }
        try store(url).close()
    }
}
