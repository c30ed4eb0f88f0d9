import FileTesting
import FormSchema
import Gateway
import Glibc
import Testing

@testable import Configuration

/// Pipes where a configuration should have files.
@Suite struct SpecialFileTests {
    /// Who opens a pipe waits for its writer.
    @Test func onlyFilesAreOpened() throws {
        let folder = try TemporaryFolder(["secret.txt": "s"])
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0 && symlink("secret.txt", folder.path + "/link") == 0)
        let tls = "certificate: pipe, key: pipe"
        try folder.write(
            """
            server: {tls: {\(tls), clientCA: pipe}}
            vault: {masterKey: {file: pipe}}
            credentials:
              - {name: a, secret: {file: pipe}, scopes: []}
              - {name: b, secret: {file: link}, scopes: []}
            routes: [{name: r, kind: upstream, url: "https://h", tls: {\(tls), ca: pipe}}]
            """, to: "c.yaml")
        let mistakes = Configuration.load(file: folder.path + "/c.yaml").mistakes
        #expect(
            mistakes.map(\.path) == [
                "server.tls.certificate", "server.tls.key", "server.tls.clientCA", "vault.masterKey.file",
                "routes[0].tls.ca", "routes[0].tls.certificate", "routes[0].tls.key", "credentials[0].secret.file",
            ])
        let reasons = Set(mistakes.map { String($0.message.split(separator: "/pipe").last ?? "") })
        #expect(reasons == [": is not a regular file", " is not a plain file"])
        let piped = Configuration.load(file: folder.path + "/pipe").mistakes
        #expect(piped.map(\.message) == ["is not a regular file"])
    }

    /// Each stands for a database that could not be opened.
    @Test(arguments: [("pipe", "is not a regular file"), ("folder", "is a folder, not a file"), ("new.db", nil)])
    func aDatabaseIsAFileOrNotThereYet(_ name: String, _ reason: String?) throws {
        let folder = try TemporaryFolder(["folder/x": ""])
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        try folder.write("vault: {sqlite: {path: \(name)}}\n", to: "c.yaml")
        let mistakes = Configuration.load(file: folder.path + "/c.yaml").mistakes
        #expect(mistakes.map(\.path) == (reason == nil ? [] : ["vault.sqlite.path"]))
        #expect(mistakes.first?.message.split(separator: ": ").last.map(String.init) == reason)
    }
}
