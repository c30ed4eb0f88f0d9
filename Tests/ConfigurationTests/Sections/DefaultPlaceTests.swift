import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

/// Where a vault and its master key are that the configuration names no place for: beside its file, wherever the process is started.
@Suite struct DefaultPlaceTests {
    @Test(
        arguments: [
            "", "vault: {}\n", "vault: {reuse: false, masterKey: {generate: true}}\n",
            "vault: {environment: sandbox, volatile: {ttl: 1h}}\n",
        ])
    func theyAreBesideTheFile(_ yaml: String) throws {
        let folder = try TemporaryFolder(["c.yaml": yaml])
        let vault = try #require(Configuration.load(file: folder.path + "/c.yaml").configuration?.vault)
        #expect(vault.sqlitePath == folder.path + "/.data/vault.db")
        #expect(vault.masterKey == .file(path: folder.path + "/.data/master.key", generate: true))
    }

    /// Without a file there is nothing else to start at.
    @Test func withoutAFileTheyAreInTheWorkingDirectory() throws {
        let loaded = Configuration.load(
            file: nil, overrides: [try #require(Override("vault.reuse=false"))], with: Self.dependencies(vaults: []))
        #expect(loaded.attempted?.vault.sqlitePath == ".data/vault.db")
        #expect(loaded.attempted?.vault.masterKey == .file(path: ".data/master.key", generate: true))
    }

    /// A vault that was made where the default was before is not silently replaced by a new one: never, where it is live.
    ///
    /// - Parameter place: whether there is a vault in the working directory, beside the file, and whether that is told.
    @Test(
        arguments: [
            "", "vault: {reuse: false}\n", "vault: {sqlite: {path: own.db}}\n",
            "vault: {environment: live, masterKey: {file: k}}\n",
        ],
        [(false, false, false), (true, false, true), (true, true, false), (false, true, false)])
    func aVaultAtTheFormerPlaceIsNotForgotten(_ yaml: String, place: (Bool, Bool, Bool)) throws {
        let folder = try TemporaryFolder(["c.yaml": yaml])
        let (isFormer, isBesideFile, isTold) = place
        let vaults = [isFormer ? ".data/vault.db" : nil, isBesideFile ? folder.path + "/.data/vault.db" : nil]
        let loaded = Configuration.load(
            file: folder.path + "/c.yaml", with: Self.dependencies(vaults: vaults.compactMap(\.self)))
        let (mistakes, warnings) = (loaded.mistakes, loaded.warnings)
        let isLive = yaml.contains("live")
        let found = (isLive ? mistakes : warnings).filter { $0.path == "vault.sqlite.path" }
        #expect(found.count == (isTold && !yaml.contains("own.db") ? 1 : 0), "\(mistakes) \(warnings)")
        #expect(!(isLive ? warnings : mistakes).contains { $0.path == "vault.sqlite.path" })
        #expect(found.allSatisfy { $0.message.contains(folder.path + "/.data/vault.db, the default") })
    }

    private static func dependencies(vaults: [String]) -> LoaderDependencies {
        var dependencies = LoaderDependencies.gateway
        dependencies.vault.exists = { vaults.contains($0) }
        dependencies.vault.masterKeyFault = { _ in nil }
        return dependencies
    }
}
