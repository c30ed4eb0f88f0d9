import Crypto
import Synchronization

/// Finds the oldest files of a log that need not be kept any more.
///
/// The log signs a line that says which lines were removed, and `audit verify` accepts a gap that such a line explains. So every line of the
/// files is verified before: otherwise somebody who can write to the folder, but has no key, could add files or set their times, and the
/// log would sign that recent lines were removed. Age, order and size are therefore taken from the verified lines, not from the file
/// system. A file is read once, and again if it has changed.
final class AuditRemovals: Sendable {
    /// Bytes that are read in one pass, some two seconds; the next one goes on.
    private static let bytesAtOnce = 512 << 20

    /// Files to remove.
    struct Removal {
        let files: [String]
        /// What is to be recorded first; nil if it is: a process was killed before it had removed them.
        let lines: RemovedLines?
    }

    private struct Known {
        var files: [String: CheckedFile] = [:]
        /// What this process has recorded.
        var removed: RemovedLines?
    }

    private let key: HMACSHA256
    /// Bytes that a file grows to before it is set aside.
    private let maxBytes: Int
    private let known = Mutex(Known())

    init(key: HMACSHA256, maxBytes: Int) {
        self.key = key
        self.maxBytes = maxBytes
    }

    /// These lines are recorded as removed.
    func noteRecord(of lines: RemovedLines) { known.withLock { $0.removed = lines } }

    /// Nil if there is nothing to remove, or more has to be read than in one pass. Throws if a file is not as the log has left it: then all
    /// of them stay.
    ///
    /// - Parameters:
    ///   - path: of the log.
    ///   - now: Unix seconds.
    func next(at path: String, keeping keep: AuditKeep, now: Int) throws(AuditFailure) -> Removal? {
        let files = AuditFiles.setAside(path)
        let names = Set(files)
        known.withLock { known in known.files = known.files.filter { names.contains($0.key) } }
        var unread = Self.bytesAtOnce
        guard let (checked, count) = try superfluous(files, of: path, keep, now, &unread), count > 0 else { return nil }
        guard let old = try removedBefore(checked[0], files, of: path, &unread) else { return nil }
        let new = checked[..<count].drop { $0.end.sequence <= old.last.sequence }
        guard let first = new.first, let last = new.last else {
            return Removal(files: Array(files[..<count]), lines: nil)
        }
        // What is missing before them without a record stays missing.
        let number = first.start == old.last ? old.first : first.start.sequence + 1
        return Removal(files: Array(files[..<count]), lines: RemovedLines(first: number, last: last.end))
    }

    /// The oldest files, checked, and how many of them need not be kept: never the newest one, which shows that they lead up to what stays.
    /// Nil if more has to be read than in this pass.
    private func superfluous(
        _ files: [String], of path: String, _ keep: AuditKeep, _ now: Int, _ unread: inout Int
    ) throws(AuditFailure) -> (checked: [CheckedFile], count: Int)? {
        var checked: [CheckedFile] = []
        switch keep {
        case .age(let seconds):
            let earliest = AuditText.instant(Int64(now - seconds) * 1_000)
            for file in files {
                guard let next = try check(file, after: checked.last, &unread) else { return nil }
                guard next.time < earliest else { break }
                checked.append(next)
            }
            return (checked, min(checked.count, files.count - 1))
        case .size(let bytes):
            // At most `maxBytes`: bytes that somebody has appended to the current file must not make older files superfluous.
            let current = min(AuditFiles.size(path), maxBytes)
            guard AuditFiles.size(of: files) > bytes - current else { return ([], 0) }
            for file in files {
                guard let next = try check(file, after: checked.last, &unread) else { return nil }
                checked.append(next)
            }
            var rest = current + checked.reduce(0) { $0 + $1.bytes }
            let superfluous = checked.prefix { file in
                defer { rest -= file.bytes }
                return rest > bytes
            }
            return (checked, min(superfluous.count, files.count - 1))
        }
    }

    /// Nil if it would be too much for this pass.
    private func check(
        _ file: String, after previous: CheckedFile?, _ unread: inout Int
    ) throws(AuditFailure) -> CheckedFile? {
        var found = known.withLock { $0.files[file] }
        if found?.isStill(at: file) != true {
            guard unread > 0 else { return nil }
            unread -= AuditFiles.size(file)
            found = try CheckedFile(file, key: key)
            known.withLock { $0.files[file] = found }
        }
        guard let found, previous == nil || found.start == previous?.end || found.beginsAnew else {
            throw AuditFailure("\(file) does not go on where the file before it ends")
        }
        return found
    }

    /// The lines before a file that are recorded as removed; none if it is the first one, or there is no record. Nil if more has to be
    /// read than in this pass.
    private func removedBefore(
        _ oldest: CheckedFile, _ files: [String], of path: String, _ unread: inout Int
    ) throws(AuditFailure) -> RemovedLines? {
        let none = RemovedLines(first: 1, last: .origin)
        if oldest.start == .origin { return none }
        if let removed = known.withLock({ $0.removed }) { return removed }
        if let removed = AuditFiles.removedLines(in: path, key: key) { return removed }
        for file in files.reversed() {
            guard let checked = try check(file, after: nil, &unread) else { return nil }
            if let removed = checked.removed { return removed }
        }
        return none
    }
}
