import Crypto
import Glibc

/// Makes lines of events and has them written. For one thread at a time.
public struct AuditWriter: ~Copyable {
    /// Where the log goes on; nil until it is this process's own.
    private var chain: AuditChain?
    private var file: AuditFile
    private let path: String
    private let maxBytes: Int
    private let key: HMACSHA256
    /// Said by the first line; nil once it is written.
    private var opening: AuditRecovery?
    /// What is wrong with the log as it was found.
    private var complaint: String?
    /// A line that the vault knows to have been synced.
    private let anchor: AuditPosition?

    /// Opens nothing yet: the first write does.
    ///
    /// - Parameters:
    ///   - path: of the log; the file need not be there.
    ///   - maxBytes: a file that has grown to this size is set aside under the number of its last line.
    ///   - key: derived from the vault's keys for this log alone.
    ///   - anchor: a line that is known to have been synced, and is stored apart from the log. A log that does not reach it was cut.
    public init(
        path: String, maxBytes: Int, key: [UInt8], anchor: AuditPosition? = nil
    ) throws(AuditFailure) {
        try AuditFiles.requireNoLink(path)
        do { self.key = try HMACSHA256(key: key) } catch { throw AuditFailure("\(error)") }
        self.path = path
        self.maxBytes = maxBytes
        self.anchor = anchor
        file = AuditFile(path: path, maxBytes: maxBytes, key: self.key)
    }

    /// Finds what may be removed of the files that this writer sets aside.
    func removals() -> AuditRemovals { AuditRemovals(key: key, maxBytes: maxBytes) }

    /// What is wrong with the log as it was found: returned once, nil afterwards.
    mutating func takeComplaint() -> String? { complaint.take() }

    /// Writes the events, in order, and syncs them. If it throws, none of them is there.
    mutating func write(_ events: AuditBatch) throws(AuditFailure) {
        var next: AuditChain
        if let chain { next = chain } else { next = try recover() }
        var batch = events
        if let opening {
            batch = AuditBatch(AuditEvent(.start, opening.outcome), before: events)
            if opening.outcome == .foreign { try setForeignAside() }
            if let length = opening.length {
                if opening.outcome != .forged { try keepRest(after: length) }
                try file.cut(after: length)
            }
        }
        guard !batch.isEmpty else { return }
        var lines = try next.lines(of: batch)
        // What was cut within a line stays, as a line of its own: the first line behind it says that the log was found so.
        if opening != nil, AuditBytes.endsWithinLine(path) { lines.insert(0x0A, at: 0) }
        try file.append(lines, endingAt: next)
        chain = next
        opening = nil
    }

    /// Looks where the log ends. The lock comes first: another process may still be writing it.
    private mutating func recover() throws(AuditFailure) -> AuditChain {
        let hasHead =
            switch AuditFiles.head(of: path, key: key) {
            case .whole, .torn: true
            case .changed, .absent: false
            }
        try file.lock()
        try file.requireReadable()
        let recovery = AuditRecovery(path: path, key: key, hasHead: hasHead, anchor: anchor)
        chain = recovery.chain
        opening = recovery
        complaint = complaint(recovery.outcome)
        return recovery.chain
    }

    private func complaint(_ outcome: AuditEvent.Outcome) -> String? {
        switch outcome {
        case .cut: "lines are missing at the end of the audit log \(path)"
        case .forged: "behind the last line of the audit log \(path) stand lines that it has not written"
        case .headless: "the head of the audit log \(path) is missing or was changed"
        case .torn:
            "behind the last line of the audit log \(path) stood lines in part, as a power cut leaves them; they are kept beside it"
        case .foreign: "\(path) is not the audit log of this vault"
        default: nil
        }
    }

    /// The last line that was synced; nil before the first write.
    var position: AuditPosition? {
        guard opening == nil, let chain else { return nil }
        return AuditPosition(sequence: chain.sequence, digits: chain.code)
    }

    /// Closes the files, so that another process may take the log over.
    mutating func close() { file.close() }

    /// Keeps what stands behind the last line of the chain in a file of its own, if anything does: it was never acknowledged, but may be of
    /// use.
    private func keepRest(after length: Int) throws(AuditFailure) {
        // It was kept already, and cut off, before the log could be written.
        guard AuditFiles.size(path) > length else { return }
        let name = "\(path).torn-\(AuditText.now)"
        guard AuditBytes.copy(path, from: length, to: name) else {
            throw AuditFailure("what stands behind the last line of \(path) cannot be kept as \(name)")
        }
    }

    /// Renames all files of another vault's log together, so that they are a whole log under another name: none of them is taken for a part
    /// of this log, and `audit verify` can check them with that vault's key.
    ///
    /// The current file goes last. Where a process is killed before, the next start finds the rest, and sets that aside.
    private func setForeignAside() throws(AuditFailure) {
        // An empty file was begun by a start whose line could not be written.
        let files = AuditFiles.all(path).filter { $0 != path || AuditBytes.read($0, limit: 1) != [] }
        // Any other file is not ours to rename.
        for file in files where !AuditFiles.isLog(file) { throw AuditFailure("\(file) is no audit log") }
        guard !files.isEmpty else { return }
        let other = "\(path).foreign-\(AuditText.now)"
        // The head stays, locked, and becomes this log's own. Without its copy the files can be verified still, but for their end.
        let head = AuditFiles.head(of: path)
        if AuditFiles.size(head) > 0 { _ = AuditBytes.copy(head, from: 0, to: AuditFiles.head(of: other)) }
        for file in files {
            let sequence = file == path ? nil : AuditFiles.lastSequence(ofSetAside: file)
            let name = sequence.map { AuditFiles.setAside(other, endingAt: $0) } ?? other
            guard rename(file, name) == 0 else {
                throw AuditFailure("\(file) cannot be set aside: \(String(cString: strerror(errno)))")
            }
        }
        AuditFiles.syncEntry(of: path)
    }
}
