import Crypto
import Glibc
import JSON

/// Makes lines of events and has them written. For one thread at a time.
struct AuditWriter: ~Copyable {
    /// Where the log goes on; nil until it is this process's own.
    private var chain: AuditChain?
    private var file: AuditFile
    private let path: String
    private let key: HMACSHA256
    /// Said by the first line; nil once it is written.
    private var opening: AuditRecovery?
    /// What is to be told of the log as it was found.
    private var complaint: String?

    init(_ settings: AuditSettings, path: String, key: [UInt8]) throws(CryptoError) {
        let key = try HMACSHA256(key: key)
        self.path = path
        self.key = key
        file = AuditFile(path: path, maxBytes: settings.maxBytes, key: key)
    }

    /// What is to be told of the log as it was found, once.
    mutating func takeComplaint() -> String? { complaint.take() }

    /// Writes the events, in order, and syncs them. If it throws, none of them is there.
    mutating func write(_ events: AuditBatch) throws(AuditFailure) {
        var next: AuditChain
        if let chain { next = chain } else { next = try recover() }
        var batch = events
        if let opening {
            batch = AuditBatch(AuditEvent(.start, opening.outcome), before: events)
            if opening.outcome == .foreign { try setForeignAside() }
            if let length = opening.length { try file.drop(after: length) }
        }
        guard !batch.isEmpty else { return }
        var lines = JSONWriter(capacity: batch.text.count + batch.count * AuditChain.overhead)
        do { try next.write(batch, into: &lines) } catch { throw AuditFailure("a line cannot be made: \(error)") }
        try lines.withBytes(since: 0) { (bytes) throws(AuditFailure) in try file.append(bytes, endingAt: next) }
        chain = next
        opening = nil
    }

    /// Looks where the log ends, once it is this process's own: another one may still be writing it.
    private mutating func recover() throws(AuditFailure) -> AuditChain {
        try file.lock()
        let recovery = AuditRecovery(path: path, key: key)
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
        case .foreign: "\(path) is not the audit log of this vault"
        default: nil
        }
    }

    /// Gives the log up to other processes.
    mutating func close() { file.close() }

    /// The log of another vault keeps its lines under another name.
    private func setForeignAside() throws(AuditFailure) {
        // What is empty has been begun already, by a start whose line could not be written.
        guard FilePath.exists(path), AuditBytes.read(path, limit: 1) != [] else { return }
        // Whatever else it is, it is somebody's.
        guard AuditFiles.isLog(path) else { throw AuditFailure("\(path) is no audit log") }
        guard rename(path, "\(path).foreign-\(WallClock.milliseconds)") == 0 else {
            throw AuditFailure("\(path) cannot be set aside: \(String(cString: strerror(errno)))")
        }
    }
}
