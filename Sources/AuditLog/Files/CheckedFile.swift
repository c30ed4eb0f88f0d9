import Crypto
import Glibc

/// A file that was set aside, all of which was read: its lines follow one another, and the last one is that of the file's name. Where a
/// start has found the log cut or forged, its line says so: what stands before it then need not lead up to it.
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

    /// Bytes of lines that the log has not written: a file may be blown up by them.
    private static let foreignAtMost = 1 << 20

    /// What changes with every change of a file, and cannot be set by who may only write to it.
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
        guard !isBroken, let start, let end, end.sequence == AuditFiles.lastSequence(ofRotated: path),
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
