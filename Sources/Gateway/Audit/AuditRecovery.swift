import Crypto
import Glibc

/// Where a log goes on when a process starts. What is wrong with it does not stop the process, and does not vanish either:
/// the line of the start says it for good.
struct AuditRecovery {
    let chain: AuditChain
    /// `done`, or what was found.
    let outcome: AuditEvent.Outcome
    /// Bytes of the current file that are whole lines; what a killed process began behind them is dropped.
    let length: Int?

    /// Bytes at the end of a file in which its last whole line must be.
    private static let reach = 4 << 20

    init(path: String, key: HMACSHA256) {
        let head = AuditHead(file: path + ".head", key: key)
        let files = AuditFiles.all(path).reversed()
        var found: (line: AuditLine, end: Int, wholeEnd: Int, file: String)?
        var isEmpty = true
        for file in files {
            guard let (bytes, start) = AuditBytes.tail(file, limit: Self.reach), !bytes.isEmpty else { continue }
            isEmpty = false
            if let (line, end) = Self.last(bytes, key) {
                let wholeEnd = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? end
                found = (line, start + end, start + wholeEnd, file)
                break
            }
        }
        switch (found, head) {
        case (let last?, let head?) where last.line.sequence >= head.sequence:
            chain = AuditChain(key: key, sequence: last.line.sequence, code: last.line.code)
            // What a killed process has left is no whole line.
            outcome = last.wholeEnd > last.end ? .forged : .done
            length = last.file == path ? last.wholeEnd : nil
        case (_, let head?):
            chain = AuditChain(key: key, sequence: head.sequence, code: head.code)
            outcome = .cut
            length = nil
        case (let last?, nil):
            chain = AuditChain(key: key, sequence: last.line.sequence, code: last.line.code)
            outcome = .headless
            length = nil
        case (nil, nil):
            chain = AuditChain(key: key)
            outcome = isEmpty ? .done : .foreign
            length = nil
        }
    }

    /// The last line of a tail that is whole and right, and where it ends.
    private static func last(_ bytes: [UInt8], _ key: HMACSHA256) -> (line: AuditLine, end: Int)? {
        var end = bytes.count
        while end > 0, let lineEnd = bytes[..<end].lastIndex(of: 0x0A) {
            let lineStart = bytes[..<lineEnd].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            if let line = AuditLine(bytes[lineStart..<lineEnd], key: key) { return (line, lineEnd + 1) }
            end = lineStart
        }
        return nil
    }
}
