import Crypto
import Glibc

/// A file that was set aside and whose lines were all verified: each follows from the one before it, and the file's name has the number of
/// the last. The line of a start that found the log cut or forged need not follow from what stands before it.
struct CheckedFile {
    /// The place before its first line.
    let start: AuditPosition
    /// Its last line.
    let end: AuditPosition
    /// When that was written, as the line says.
    let time: String
    /// Of its lines alone.
    let bytes: Int
    /// Whether its first line says that the log was found damaged.
    let beginsAnew: Bool
    /// The last lines whose removal it records.
    let removed: RemovedLines?
    private let identity: Identity

    /// The maximum number of bytes in lines that the log has not written: more would only be read for nothing.
    private static let foreignAtMost = 1 << 20

    /// Tells whether a file was changed. Unlike its modification time, the time of its last status change cannot be set by a program.
    private struct Identity: Equatable {
        let device: dev_t
        let file: ino_t
        let size: off_t
        let seconds: Int
        let nanoseconds: Int

        /// Nil if there is no such file.
        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            (device, file, size) = (status.st_dev, status.st_ino, status.st_size)
            (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    /// Reads the file; throws if it is not as the log has left it.
    init(_ path: String, key: HMACSHA256) throws(AuditFailure) {
        let failure = AuditFailure("\(path) is not as the log has set it aside")
        guard let identity = Identity(path), var reader = AuditLineReader(path) else { throw failure }
        var start: AuditPosition?
        var end: AuditPosition?
        var last: [UInt8] = []
        var removed: RemovedLines?
        var (bytes, foreign, beginsAnew, isBroken) = (0, 0, false, false)
        while let next = reader.next() {
            guard next.isWhole, let line = AuditLine(next.bytes[...], key: key) else {
                isBroken = true
                foreign += next.bytes.count
                guard foreign <= Self.foreignAtMost else { throw failure }
                continue
            }
            let findsDamage = AuditLine.findsDamage(next.bytes[...])
            guard findsDamage || !isBroken && (end == nil || line.start == end) else { throw failure }
            if start == nil { beginsAnew = findsDamage }
            isBroken = false
            start = start ?? line.start
            end = line.position
            last = next.bytes
            bytes += next.bytes.count + 1
            removed = line.removed ?? removed
        }
        guard !isBroken, let start, let end, end.sequence == AuditFiles.lastSequence(ofSetAside: path),
            let time = AuditLine.time(last[...]), Identity(path) == identity
        else { throw failure }
        self.start = start
        self.end = end
        self.time = time
        self.removed = removed
        self.identity = identity
        self.bytes = bytes
        self.beginsAnew = beginsAnew
    }

    /// Whether the file at `path` is the one that was read, and has not been changed since.
    func isStill(at path: String) -> Bool { Identity(path) == identity }
}
