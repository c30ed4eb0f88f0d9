import FileTesting
import Glibc
import Testing

@testable import AuditLog

@Suite struct AuditLineReaderTests {
    @Test func linesAndWhatIsNone() throws {
        let folder = try TemporaryFolder(["log": "one\n\ntwo\nthree"])
        guard var reader = AuditLineReader(folder.path + "/log") else {
            Issue.record("it cannot be opened")
            return
        }
        var found: [(text: String, isWhole: Bool, position: Int)] = []
        while let line = reader.next() {
            found.append((String(decoding: line.bytes, as: UTF8.self), line.isWhole, reader.position))
        }
        #expect(found.map(\.text) == ["one", "", "two", "three"])
        #expect(found.map(\.isWhole) == [true, true, true, false])
        #expect(found.map(\.position) == [4, 5, 9, 14])
        #expect(reader.number == 4)
    }

    /// A file without line breaks, as large as it may be, is never held as a whole.
    @Test func aLineThatIsTooLongComesInParts() throws {
        let folder = try TemporaryFolder(["log": "one\n"])
        let path = folder.path + "/log"
        let count = AuditLineReader.longestLine + (4 << 20)
        // Zeros that take no room on the disk.
        #expect(truncate(path, off_t(4 + count)) == 0)
        guard var reader = AuditLineReader(path) else {
            Issue.record("it cannot be opened")
            return
        }
        #expect(reader.next()?.bytes.count == 3)
        var rest = count
        while let line = reader.next() {
            #expect(line.bytes.count <= AuditLineReader.longestLine + (1 << 20))
            rest -= line.bytes.count
        }
        #expect(rest == 0)
    }
}
