import FileTesting
import Foundation
import Testing

@testable import AuditLog

@Suite struct AuditFilesTests {
    @Test(arguments: [
        ("audit.log", true), ("audit.log.head", true), ("audit.log.0000000000000099", true),
        ("audit.log.000000000000099", false), ("audit.log.00000000000000099", false),
        ("audit.log.000000000000009x", false),
        ("audit.log.foreign-1", false), ("audit.log.foreign-1.0000000000000099", false), ("audit.logs", false),
        ("udit.log.0000000000000099", false), ("other/audit.log", false), ("other/../audit.log.head", true),
        ("link/audit.log.head", true), ("none/audit.log", false),
    ])
    func namesOfTheLog(name: String, isOfLog: Bool) throws {
        let folder = try TemporaryFolder(["other/file": ""])
        #expect(symlink(folder.path, folder.path + "/link") == 0)
        #expect(AuditFiles.isFile("\(folder.path)/\(name)", of: folder.path + "/audit.log") == isOfLog)
        #expect(!AuditFiles.isFile(name, of: folder.path + "/audit.log"))
    }

    @Test(arguments: [0, 1, 3, 4, 9]) func whatThereIsIsNamed(setAside count: Int) throws {
        let folder = try TemporaryFolder(["audit.log.head": ""])
        let path = folder.path + "/audit.log"
        let old = (0..<count).map { AuditFiles.setAside(path, endingAt: $0 + 1) }
        for file in old { #expect(FileManager.default.createFile(atPath: file, contents: nil)) }
        let named = count > 3 ? ["\(old[0]) to \(old[count - 1])"] : old
        #expect(AuditFiles.names(of: path) == named + [path + ".head"])
    }
}
