import Glibc

/// How much of the log is kept. Older files are removed whole; a line in the log says which lines those were, so that the rest can still
/// be verified.
public enum AuditKeep: Sendable, Equatable {
    /// Seconds since the last line of a file was written.
    case age(Int)
    /// Bytes of all files.
    case size(Int)
}

extension AuditLog {
    /// Removes the oldest files that need not be kept, once a line that says so is synced. Blocks on the disk, for some files at most.
    /// Returns the number of the last line that was removed; nil if none was.
    ///
    /// - Parameters:
    ///   - path: of the log.
    ///   - now: Unix seconds.
    @discardableResult
    public func drop(at path: String, keeping keep: AuditKeep, now: Int) async throws(AuditFailure) -> Int? {
        guard let removal = try removals.next(at: path, keeping: keep, now: now) else { return nil }
        if let lines = removal.lines {
            try await recordDurably(AuditEvent(dropping: lines))
            removals.noteRecord(of: lines)
        }
        for file in removal.files { unlink(file) }
        AuditFiles.syncEntry(of: path)
        return removal.lines?.last.sequence
    }
}
