import FileTesting
import FormSchema
import Testing

@testable import Configuration

/// `audit.file`.
@Suite struct AuditSettingTests {
    @Test func theAuditLogTakesNobodysFile() throws {
        let folder = try TemporaryFolder(["notes.txt": "precious\n", "log": "{\"seq\":1,", "empty": ""])
        func mistakes(_ file: String) throws -> [String] {
            places(try load("audit: {file: \(folder.path)/\(file)}\n"))
        }
        #expect(try mistakes("notes.txt") == ["1 audit.file"])
        #expect(try mistakes(".") == ["1 audit.file"])
        #expect(try mistakes("log") == [] && mistakes("empty") == [] && mistakes("new") == [])
        #expect(places(try load("audit: {file: /dev/null}\n")) == ["1 audit.file"])
    }

    /// Before the first start nothing is there that would tell.
    @Test(arguments: [
        ("audit: {file: d/v.db}", "2 audit.file"), ("audit: {file: ./d/../mk}", "2 audit.file"),
        ("audit: {file: d/v.db.lock}", "2 audit.file"), ("audit: {file: d/v.db-wal}", "2 audit.file"),
        ("audit: {file: d/v.log}", nil), ("audit: {maxBytes: 1MiB}", nil),
    ])
    func theAuditLogHasAFileOfItsOwn(audit: String, place: String?) throws {
        let loaded = try load("vault: {sqlite: {path: d/v.db}, masterKey: {file: mk, generate: true}}\n\(audit)\n")
        #expect(places(loaded) == (place.map { [$0] } ?? []), "\(loaded.mistakes)")
    }

    /// Nor does the log that nobody named take the key's.
    @Test func theUsualAuditLogHasAFileOfItsOwn() throws {
        let vault = "vault: {sqlite: {path: v.db}, masterKey: {file: v.audit.log, generate: true}}\n"
        #expect(places(try load(vault)) == ["audit.file"])
        // Its head stands beside it.
        #expect(places(try load("vault: {sqlite: {path: a.head}}\naudit: {file: a}\n")) == ["2 audit.file"])
    }
}
