import Crypto

/// Where a log goes on when a process starts. What is wrong with it does not stop the process; the line of the start records
/// it for good.
struct AuditRecovery {
    let chain: AuditChain
    /// `done`, or what was found.
    let outcome: AuditEvent.Outcome
    /// Bytes of the current file that stay. What stands behind them is dropped, and kept in a file of its own if the outcome is `torn`;
    /// nil if all of it stays.
    let length: Int?

    /// Bytes at the end of a file in which its last whole line must be, where nothing says which lines were synced.
    private static let reach = 4 << 20

    private init(
        _ key: HMACSHA256, _ position: AuditPosition, _ outcome: AuditEvent.Outcome, length: Int? = nil
    ) {
        chain = AuditChain(key: key, sequence: position.sequence, code: position.digits)
        self.outcome = outcome
        self.length = length
    }

    /// - Parameters:
    ///   - hasHead: whether there was a file with the head.
    ///   - anchor: a line that the vault knows to have been synced.
    init(path: String, key: HMACSHA256, hasHead: Bool, anchor: AuditPosition?) {
        let head = AuditFiles.head(of: path, key: key).position
        let files = AuditFiles.all(path)
        guard let start = anchor ?? head else {
            self = Self.withoutHead(files, key)
            return
        }
        let known = [start, head ?? start].max { $0.sequence < $1.sequence } ?? start
        guard let walk = AuditWalk(files, of: path, from: start, key: key) else {
            self.init(key, known, .cut)
            return
        }
        let last = walk.position
        if last.sequence < known.sequence {
            // Lines that were synced have gone, or were changed.
            self.init(key, Self.last(of: files, key) ?? known, walk.rest == .begun ? .cut : .forged)
            if chain.sequence < known.sequence { self.init(key, known, outcome) }
        } else if last.sequence == 0 {
            self = Self.before(walk, path, key)
        } else if walk.isInterrupted {
            self.init(key, Self.last(of: files, key) ?? last, .forged)
        } else if walk.rest == .forged {
            // Behind the changed line may stand others of this log, whose numbers are used.
            let end = Self.highest(in: path, key).flatMap { $0.sequence > last.sequence ? $0 : nil } ?? last
            self.init(key, end, .forged, length: Self.wholeLength(path))
        } else {
            // A head that a power cut has torn is written again with the line of this start; one that is gone was removed.
            let outcome: AuditEvent.Outcome = hasHead ? (walk.rest == .torn ? .torn : .done) : .headless
            self.init(key, last, outcome, length: walk.file == path ? walk.end : nil)
        }
    }

    /// A log of which not even the first line is there.
    private static func before(_ walk: AuditWalk, _ path: String, _ key: HMACSHA256) -> AuditRecovery {
        guard let file = walk.file else { return AuditRecovery(key, .origin, .done) }
        // A file is set aside behind lines of its own.
        guard file == path else { return AuditRecovery(key, .origin, .foreign) }
        let bytes = AuditBytes.read(path, limit: 64) ?? []
        switch walk.rest {
        case .begun where AuditLine.begins(bytes[...]) || AuditLine.isBeginning(bytes):
            return AuditRecovery(key, .origin, .done, length: 0)
        case .torn where AuditLine.begins(bytes[...]) || bytes.first == 0:
            return AuditRecovery(key, .origin, .torn, length: 0)
        default: return AuditRecovery(key, .origin, .foreign)
        }
    }

    private static func withoutHead(_ files: [String], _ key: HMACSHA256) -> AuditRecovery {
        if let last = last(of: files, key) { return AuditRecovery(key, last, .headless) }
        let isEmpty = files.allSatisfy { (AuditBytes.read($0, limit: 1) ?? []).isEmpty }
        return AuditRecovery(key, .origin, isEmpty ? .done : .foreign)
    }

    /// Bytes of a file's whole lines.
    private static func wholeLength(_ path: String) -> Int? {
        AuditBytes.tail(path, limit: reach).flatMap { (bytes, start) in
            bytes.lastIndex(of: 0x0A).map { start + $0 + 1 }
        }
    }

    /// Of the right lines at the end of a file, the one with the highest number: copies of earlier ones may stand behind it.
    private static func highest(in file: String, _ key: HMACSHA256) -> AuditPosition? {
        let lines = AuditBytes.tail(file, limit: reach)?.0.split(separator: 0x0A) ?? []
        return lines.compactMap { AuditLine($0, key: key) }.max { $0.sequence < $1.sequence }
            .map { AuditPosition(sequence: $0.sequence, digits: $0.code) }
    }

    /// The last line that is whole and right.
    private static func last(of files: [String], _ key: HMACSHA256) -> AuditPosition? {
        for file in files.reversed() {
            guard let (bytes, _) = AuditBytes.tail(file, limit: reach) else { continue }
            var end = bytes.count
            while end > 0, let lineEnd = bytes[..<end].lastIndex(of: 0x0A) {
                let lineStart = bytes[..<lineEnd].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
                if let line = AuditLine(bytes[lineStart..<lineEnd], key: key) {
                    return AuditPosition(sequence: line.sequence, digits: line.code)
                }
                end = lineStart
            }
        }
        return nil
    }
}
