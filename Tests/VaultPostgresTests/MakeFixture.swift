import Foundation
import PostgresTesting
import Sensitive
import Testing
import VaultTesting

@testable import Vault
@testable import VaultPostgres

@Suite struct MakeFixture {
    @Test func make() async throws {
        let url = try PostgresServer.shared().database()
        let store = try store(url)
        let vault = try await openVault(store)
        try await StoredVault.fill(vault)
        store.close()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "$(ls /usr/lib/postgresql/*/bin/pg_dump | tail -1) --inserts --no-owner --no-privileges '\(url)' > /tmp/format3.sql"]
        try process.run()
        process.waitUntilExit()
    }
}
