import Glibc
import Vault
import VaultSQLite

/// A directory for one test's vault, removed with everything in it at the end.
final class TestDatabase: Sendable {
    let directory: String
    var path: String { directory + "/vault.db" }

    init() {
        var template = Array((P_tmpdir + "/cloakroom-XXXXXX").utf8CString)
        directory =
            template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap(mkdtemp).map { String(cString: $0) } }
            ?? ""
    }

    deinit {
        for suffix in ["", "-wal", "-shm", ".lock"] { unlink(path + suffix) }
        rmdir(directory)
    }

    func store(_ change: (inout SQLiteStoreConfiguration) -> Void = { _ in }) throws -> SQLiteAliasStore {
        var configuration = SQLiteStoreConfiguration(path: path)
        change(&configuration)
        return try SQLiteAliasStore(configuration)
    }

    func bytes(_ suffix: String) -> [UInt8] {
        guard let file = fopen(path + suffix, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
        return bytes
    }

    func write(_ bytes: [UInt8], _ suffix: String) {
        guard let file = fopen(path + suffix, "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    func mode(_ suffix: String) -> UInt32 {
        var status = stat()
        return stat(path + suffix, &status) == 0 ? status.st_mode & 0o777 : 0
    }
}
