import Crypto
import Glibc
import Testing

@testable import Vault

@Suite("Private files")
struct PrivateFileTests {
    @Test func nothingButTheFileRemains() throws {
        let directory = TestDirectory()
        try PrivateFile.create(directory.path("key"), [1, 2, 3])
        #expect(try PrivateFile.read(directory.path("key"), maximum: 3) == [1, 2, 3])
        #expect(directory.entries == ["key"])
        var status = stat()
        #expect(stat(directory.path("key"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    /// systemd gives a credential to a dynamic user by an ACL, whose mask is where the group's rights were: 0440.
    @Test(
        arguments: [
            (0o400, true, true), (0o440, true, true), (0o640, true, true), (0o440, false, false), (0o640, false, false),
            (0o460, true, false), (0o444, true, false), (0o450, true, false), (0o441, true, false),
            (0o600, false, true),
        ] as [(mode_t, Bool, Bool)])
    func credentialsMayBeReadByTheirGroup(mode: mode_t, isInside: Bool, isRead: Bool) throws {
        let (directory, other) = (TestDirectory(), TestDirectory())
        directory.write([1], to: "key")
        #expect(chmod(directory.path("key"), mode) == 0)
        // A name that only begins like the directory's is none within it.
        let credentials = isInside ? directory.path("") : String(directory.path("").dropLast(2))
        for credentials in [credentials, isInside ? directory.path(".") : other.path("")] {
            let read = { () throws(VaultError) in
                try PrivateFile.read(directory.path("key"), maximum: 1, credentials: credentials)
            }
            if isRead { #expect(try read() == [1]) } else { #expect(throws: VaultError.self) { try read() } }
        }
    }

    /// A link out of the directory leads to a file that systemd has not put there.
    @Test func aLinkLeavesTheCredentials() throws {
        let (directory, other) = (TestDirectory(), TestDirectory())
        other.write([1], to: "key")
        #expect(chmod(other.path("key"), 0o440) == 0)
        #expect(symlink(other.path("key"), directory.path("key")) == 0)
        let error = #expect(throws: VaultError.self) {
            try PrivateFile.read(directory.path("key"), maximum: 1, credentials: directory.path(""))
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("$CREDENTIALS_DIRECTORY"))
    }

    @Test func whatIsThereIsNotReplaced() throws {
        let directory = TestDirectory()
        try PrivateFile.create(directory.path("key"), [1])
        #expect(symlink("nowhere", directory.path("link")) == 0)
        for name in ["key", "link"] {
            #expect(
                throws: VaultError.unusableMasterKey("\(directory.path(name)) could not be written: File exists")
            ) { try PrivateFile.create(directory.path(name), [2]) }
        }
        #expect(try PrivateFile.read(directory.path("key"), maximum: 1) == [1])
        #expect(directory.entries == ["key", "link"])
    }

    /// A creation that ended before the file had its name leaves an empty file, or a whole one, under another; it is gone
    /// with the next start, which is not stopped by it. What only looks alike stays.
    @Test func leftoversOfAnInterruptedCreation() throws {
        let directory = TestDirectory()
        let others = [
            "key.backup", "key.creating-", "key.creating-01234567-wal", "key.creating-0123456g",
            "other.creating-01234567",
        ]
        for name in ["key.creating-01234567", "key.creating-89abcdef", "key.creating-89abcdef-journal"] + others {
            directory.write([], to: name)
        }
        let made = try MasterKey(file: directory.path("key"), generate: true)
        #expect(directory.entries == ["key"] + others)
        #expect(try MasterKey(file: directory.path("key"), generate: false).wrap.wrap([1]) == made.wrap.wrap([1]))
    }

    /// One that ended right after that leaves a second name of the key, which would outlive the first one's removal.
    @Test func aSecondNameOfTheKeyIsRemoved() throws {
        let directory = TestDirectory()
        let made = try MasterKey(file: directory.path("key"), generate: true)
        #expect(link(directory.path("key"), directory.path("key.creating-01234567")) == 0)
        #expect(try MasterKey(file: directory.path("key"), generate: true).wrap.wrap([1]) == made.wrap.wrap([1]))
        #expect(directory.entries == ["key"])
    }

    @Test func namesWithoutADirectory() throws {
        #expect(throws: VaultError.self) { try PrivateFile.create("/proc/key", [1]) }
        PrivateFile.removeLeftovers(of: "no such directory/key")
        #expect(PrivateFile.syncDirectory(of: "key") && PrivateFile.syncDirectory(of: "/key"))
    }
}

/// A directory for one test, removed with everything in it at the end.
private final class TestDirectory {
    private let path: String

    init() {
        var template = Array((P_tmpdir + "/cloakroom-files-XXXXXX").utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? ""
    }

    deinit {
        for name in entries { unlink(path(name)) }
        rmdir(path)
    }

    func path(_ name: String) -> String { path + "/" + name }

    func write(_ bytes: [UInt8], to name: String) {
        guard let file = fopen(path(name), "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    /// The names of what is in it, sorted.
    var entries: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
