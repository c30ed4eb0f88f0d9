import FileTesting
import FormSchema
import Gateway
import Glibc
import Testing

@testable import Configuration

/// Where the master key comes from, and whether it is made.
@Suite struct MasterKeySettingTests {
    private func load(_ yaml: String, in folder: TemporaryFolder) throws -> LoadedConfiguration {
        try folder.write(yaml, to: "c.yaml")
        return Configuration.load(file: folder.path + "/c.yaml")
    }

    private static let key = String(repeating: "0f1e", count: 16)

    /// A key that is there is read; one that will be made is not, and is made only where there is no vault.
    ///
    /// - Parameters:
    ///   - place: where the mistake is, if there is one.
    ///   - placeBesidesVault: likewise where the vault is there already.
    @Test(
        arguments: [
            ("{file: good.key}", nil, nil), ("{file: good.key, generate: true}", nil, nil),
            ("{file: short.key}", "masterKey.file", "masterKey.file"),
            ("{file: short.key, generate: true}", "masterKey.file", "masterKey.file"),
            ("{file: open.key}", "masterKey.file", "masterKey.file"),
            ("{file: gone.key}", nil, "masterKey.file"), ("{file: gone.key, generate: true}", nil, "masterKey.file"),
            ("{file: gone.key, generate: false}", "masterKey.file", "masterKey.file"),
            ("{env: CLOAKROOM_TEST_NO_KEY}", "masterKey.env", "masterKey.env"),
            ("{file: new.db}", "masterKey.file", "masterKey.file"),
            ("{file: new.db-wal, generate: true}", "masterKey.file", "masterKey.file"),
            ("{env: PATH}", "masterKey.env", "masterKey.env"), ("{file: a, env: B}", "masterKey", "masterKey"),
        ] as [(String, String?, String?)])
    func masterKeys(key: String, place: String?, placeBesidesVault: String?) throws {
        let folder = try TemporaryFolder([
            "good.key": Self.key + "\n", "short.key": "0f1e", "open.key": Self.key, "old.db": "x",
        ])
        for name in ["good", "short"] { chmod(folder.path + "/\(name).key", 0o600) }
        chmod(folder.path + "/open.key", 0o644)
        for (database, place) in [("new.db", place), ("old.db", placeBesidesVault)] {
            let loaded = try load("vault:\n  sqlite: {path: \(database)}\n  masterKey: \(key)\n", in: folder)
            #expect(loaded.mistakes.map(\.path) == (place.map { ["vault.\($0)"] } ?? []), "\(loaded.mistakes)")
            #expect(loaded.mistakes.allSatisfy { $0.line == 3 && !$0.message.contains(Self.key) })
        }
    }

    /// `generate` is true for the sandbox alone, unless it is given.
    @Test(
        arguments: [
            ("", "{file: mk}", true), ("environment: sandbox, ", "{file: mk}", true),
            ("environment: live, ", "{file: mk}", nil),
            ("environment: live, ", "{file: mk, generate: true}", true), ("", "{generate: true}", true),
            ("environment: live, ", "{file: good.key}", false), ("", "{file: good.key, generate: false}", false),
        ] as [(String, String, Bool?)])
    func generation(environment: String, key: String, generates: Bool?) throws {
        let folder = try TemporaryFolder(["good.key": Self.key])
        chmod(folder.path + "/good.key", 0o600)
        // In the environment live the development credential is a mistake.
        let loaded = try load(
            "vault: {\(environment)sqlite: {path: v.db}, masterKey: \(key)}\ncredentials: []\n", in: folder)
        #expect((loaded.configuration == nil) == (generates == nil), "\(loaded.mistakes)")
        let isRisky = environment.contains("live") && generates == true
        #expect(loaded.warnings.contains { $0.path == "vault.masterKey" } == isRisky)
        guard case .file(let path, let generate)? = loaded.configuration?.vault.masterKey else { return }
        #expect(generate == generates)
        if key == "{generate: true}" { #expect(path == folder.path + "/.data/master.key") }
    }

    /// Values would be kept elsewhere than its section says.
    @Test(
        arguments: [
            ("", "remote: {url: \"https://v.example\"}", "vault.remote"),
            ("", "postgres: {url: \"postgresql://u@localhost/d?sslmode=disable\"}", "vault.postgres"),
            ("store: remote, ", "remote: {url: \"https://v.example\"}", nil), ("", "sqlite: {path: w.db}", nil),
        ] as [(String, String, String?)])
    func sectionsOfStoresThatAreNotUsed(store: String, section: String, place: String?) throws {
        let loaded = try load("vault: {\(store)\(section)}\n", in: TemporaryFolder())
        #expect(loaded.warnings.filter { $0.message.contains("no effect") }.map(\.path) == [place].compactMap(\.self))
    }

    @Test func aFileSetOnTheCommandLineIsEnough() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/xx"
        let settings = ["vault.masterKey.file=\(file)", "vault.sqlite.path=\(folder.path)/v.db"]
        let loaded = Configuration.load(file: nil, overrides: settings.compactMap { Override($0) })
        guard case .file(file, true)? = loaded.configuration?.vault.masterKey else {
            Issue.record("\(loaded.mistakes)")
            return
        }
    }
}
