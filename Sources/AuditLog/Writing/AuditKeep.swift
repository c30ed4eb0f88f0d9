import Glibc

/// How much of the log is kept. Older files are removed whole; a line in the log says which lines those were, so that the rest can still
/// be verified.
public enum AuditKeep: Sendable, Equatable {
    /// Seconds since the last line of a file was written.
    case age(Int)
    /// Bytes of all files.
    case size(Int)

    /// The oldest files of those that were set aside, as many as need not be kept.
    func superfluous(of path: String, now: Int) -> ArraySlice<String> {
        let files = AuditFiles.rotated(path)
        switch self {
        case .age(let seconds):
            return files.prefix { file in
                AuditFiles.changed(file).map { $0 < now - seconds } ?? false
            }
        case .size(let bytes):
            var rest = AuditFiles.size(of: files + [path])
            return files.prefix { file in
                defer { rest -= AuditFiles.size(file) }
                return rest > bytes
            }
        }
    }
}

extension AuditLog {
    /// Removes the oldest files that need not be kept, once a line that says so is synced. Blocks on the disk, for a few files at most.
    /// Returns the number of the last line that was removed; nil if none was.
    ///
    /// - Parameters:
    ///   - path: of the log.
    ///   - now: Unix seconds.
    @discardableResult
    public func drop(at path: String, keeping keep: AuditKeep, now: Int) async throws(AuditFailure) -> Int? {
        let files = keep.superfluous(of: path, now: now)
        guard let last = files.last, let position = AuditFiles.lastPosition(ofRotated: last) else { return nil }
        try await recordDurably(AuditEvent(dropping: position))
        for file in files { unlink(file) }
        AuditFiles.syncEntry(of: path)
        return position.sequence
    }
}
