import Foundation
import PostgresTesting
import Sensitive
import Testing
import Vault
import VaultTesting

@testable import VaultPostgres

/// Rows that the first release of format 3 has stored (`Fixtures/format3.sql`), under the first of the tests' master keys: a change of
/// what is sealed, tagged or derived makes them unreadable, or their values unknown.
@Suite("A stored vault") struct StoredVaultTests {
    private static let stored: [StoredVault.Stored] = [
        .init("value 0", .uuid, "tok_sandbox_oPnuGC43Hmmm6j3Dnf8Xq"),
        .init("value 0", .rawUUID, "7d1184e9-9ce9-4bc1-a7f3-d8302dd95db7"),
        .init("4539600166594134", .fpeSixTFour, "4539607215714134"),
        .init("4539600166594134", .uuid, "tok_sandbox_ASMriGUYeXqZj9ahiJP6zX"),
        .init("078-05-1120", .fpeSSNTFour, "603-87-1120"),
        .init("x\0y \u{1F600}", .uuid, "tok_sandbox_41NneuGFHixA8JAxDWTnnd"),
        .init("ends", .uuid, "tok_sandbox_4kuqvXpoSLzBsrHqnCRf1f"),
        .init("value 1", .uuid, "tok_sandbox_4vSRZe1rJTJu25yC8vZXsS"),
    ]
    private static let auditKey: [UInt8] = [
        113, 220, 196, 21, 107, 233, 77, 72, 113, 243, 253, 142, 36, 36, 147, 63,
        35, 73, 8, 25, 140, 20, 143, 222, 69, 180, 99, 101, 191, 225, 118, 225,
    ]

    @Test func aStoredVaultIsAsItWas() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        let rows = try String(contentsOfFile: folder + "/Fixtures/format3.sql", encoding: .utf8)
        let url = try PostgresServer.shared().database()
        var configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        configuration.responseTimeout = .seconds(20)
        try PostgresConnection(configuration, PostgresWaitLimit(configuration.responseTimeout)).execute(rows)
        for _ in 0..<2 {
            let store = try store(url)
            let vault = try await openVault(store)
            #expect(try await StoredVault.problems(in: vault, Self.stored, auditKey: Self.auditKey) == [])
            store.close()
        }
    }
}
