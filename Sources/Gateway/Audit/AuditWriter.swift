import Glibc
import Vault

/// Makes lines of events and has them written. For one thread at a time.
struct AuditWriter: ~Copyable {
    private var chain: AuditChain
    private var file: AuditFile
    private let path: String
    /// Said by the first line; nil once it is written.
    private var opening: AuditRecovery?

    init(_ settings: AuditSettings, path: String, key: [UInt8]) throws(VaultError) {
        let key = try HMACSHA256(key: key)
        let recovery = AuditRecovery(path: path, key: key)
        self.path = path
        opening = recovery
        chain = recovery.chain
        file = AuditFile(path: path, maxBytes: settings.maxBytes, key: key)
    }

    /// What is to be told of the log as it was found.
    var complaint: String? {
        switch opening?.outcome {
        case .cut: "lines are missing at the end of the audit log \(path)"
        case .headless: "the head of the audit log \(path) is missing or was changed"
        case .foreign: "\(path) is not the audit log of this vault; it is set aside"
        default: nil
        }
    }

    /// Writes the events, in order, and syncs them. If it throws, none of them is there.
    mutating func write(_ events: AuditBatch) throws(AuditFailure) {
        var batch = events
        if let opening {
            batch = AuditBatch(AuditEvent(.start, opening.outcome), before: events)
            if opening.outcome == .foreign { try setForeignAside() }
            if let length = opening.length { try file.drop(after: length) }
        }
        guard !batch.isEmpty else { return }
        var next = chain
        let lines: [UInt8]
        do { lines = try next.lines(batch) } catch { throw AuditFailure("a line cannot be made: \(error)") }
        try file.append(lines, endingAt: next)
        chain = next
        opening = nil
    }

    /// Gives the log up to other processes.
    mutating func close() { file.close() }

    private func setForeignAside() throws(AuditFailure) {
        guard FilePath.exists(path) else { return }
        guard rename(path, "\(path).foreign-\(WallClock.milliseconds)") == 0 else {
            throw AuditFailure("\(path) cannot be set aside: \(String(cString: strerror(errno)))")
        }
    }
}
