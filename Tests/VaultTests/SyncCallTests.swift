import FileTesting
import Interposing
import Testing

@testable import Vault

@Suite struct SyncCallTests {
    /// A key that a power cut takes away takes the vault with it: its bytes and its name are synced.
    @Test func aGeneratedKeyIsSynced() throws {
        let folder = try TemporaryFolder()
        _ = try MasterKey(file: folder.path + "/new/keys/master.key", generate: true)
        // Of each directory that was made the entry, too.
        #expect(interposed_syncs(folder.path) == 1)
        #expect(interposed_syncs(folder.path + "/new") == 1)
        // Under the name that it has until it is whole.
        #expect(interposed_syncs_within(folder.path + "/new/keys") == 1)
        #expect(interposed_syncs(folder.path + "/new/keys") == 1)
    }

    /// The file of a new master key may soon be the only one.
    @Test func aFileIsSyncedWithItsName() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file"
        try PrivateFile.create(path, [1])
        let before = (interposed_syncs(path), interposed_syncs(folder.path))
        try PrivateFile.sync(path)
        #expect(interposed_syncs(path) == before.0 + 1)
        #expect(interposed_syncs(folder.path) == before.1 + 1)
    }
}
