import Glibc
import Sensitive
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

func masterKey(_ number: UInt8 = 1) throws -> MasterKey {
    try MasterKey(bytes: (0..<32).map { $0 &+ number })
}

func openVault(
    _ store: any AliasStore, _ change: (inout VaultConfiguration) -> Void = { _ in }
) async throws -> Vault {
    var configuration = VaultConfiguration()
    change(&configuration)
    return try await Vault.open(configuration, masterKey: masterKey(), store: store)
}

extension VaultItem {
    static func new(
        _ value: String, _ format: AliasFormat = .uuid, _ classifiers: [String] = [], _ storage: Storage = .persistent
    ) -> VaultItem {
        .value(SensitiveText(value), format: format, classifiers: classifiers, storage: storage)
    }
}

extension Vault {
    func alias(_ item: VaultItem) async throws -> String { try await create([item])[0].aliases[0].alias }

    func value(_ alias: String) async -> String? { try? await reveal([alias]).first?.stored.value.exposed }
}
