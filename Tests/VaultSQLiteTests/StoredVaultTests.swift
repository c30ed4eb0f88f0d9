import Glibc
import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

/// A vault that the first release of format 3 has stored (`Fixtures/format3.db`), under the first of the tests' master keys: a change of
/// what is sealed, tagged or derived makes it unreadable, or its values unknown.
@Suite struct StoredVaultTests {
    private static let stored: [StoredVault.Stored] = [
        .init("value 0", .uuid, "tok_sandbox_7euCX8ratRJK3JorcPmyXT"),
        .init("value 0", .rawUUID, "82c962f0-359f-40a9-b22e-3080ad9ca1e8"),
        .init("4539600166594134", .fpeSixTFour, "4539604675144134"),
        .init("4539600166594134", .uuid, "tok_sandbox_Xg7Cf5V7CV7fW2ugAJ2Mp4"),
        .init("078-05-1120", .fpeSSNTFour, "889-45-1120"),
        .init("x\0y \u{1F600}", .uuid, "tok_sandbox_6MAZYg5a4THBuCsfYmoG9B"),
        .init("ends", .uuid, "tok_sandbox_BuejP6dCysiGSUATq67gAt"),
        .init("value 1", .uuid, "tok_sandbox_8H6oT5PYgp8kyh2Kxxi54D"),
    ]
    private static let auditKey: [UInt8] = [
        105, 50, 159, 40, 109, 222, 168, 234, 58, 168, 11, 200, 194, 175, 10, 136,
        53, 208, 117, 240, 142, 216, 89, 220, 246, 171, 165, 104, 67, 55, 213, 62,
    ]

    @Test func aStoredVaultIsAsItWas() async throws {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        let file = try #require(fopen("/\(folder)/Fixtures/format3.db", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        let database = TestDatabase()
        database.write(Array(bytes.prefix(count)), "")
        for _ in 0..<2 {
            let store = try database.store()
            let vault = try await openVault(store)
            #expect(try await StoredVault.problems(in: vault, Self.stored, auditKey: Self.auditKey) == [])
            store.close()
        }
    }
}
