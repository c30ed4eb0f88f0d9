import Crypto
import Glibc

/// Holds all files of a log against their chain, and says what was changed, cut out or moved, and where.
public struct AuditVerification: Sendable {
    /// What is wrong, one line each, in order; at most as many as are of use.
    public private(set) var findings: [String] = []
    /// `<lines> lines in <files> files, the last one is <number>`.
    public var summary: String {
        "\(lines) \(lines == 1 ? "line" : "lines") in \(files) \(files == 1 ? "file" : "files"), the last is number \(sequence)"
    }

    private static let most = 100
    private var lines = 0
    private var files = 0
    private var sequence: Int
    private var code: String?
    private var codeAtHead: String?

    /// - Parameter first: number of the first line that must be there; those before it are kept elsewhere.
    init(path: String, key: HMACSHA256, first: Int = 1) {
        sequence = first - 1
        code = first == 1 ? AuditChain.origin : nil
        // The head is read first: lines that are written meanwhile are ahead of it.
        let head = AuditHead(file: path + ".head", key: key)
        for file in AuditFiles.all(path) { check(file, key, head: head, isCurrent: file == path) }
        if files == 0 { add("\(path): there is no log") }
        guard let head else {
            if files > 0 { add("\(path).head: missing, or changed: the end of the log cannot be checked") }
            return
        }
        if head.sequence > sequence {
            add("\(path): lines \(sequence + 1) to \(head.sequence) are missing at the end")
        } else if head.sequence >= first, let codeAtHead, codeAtHead != head.code {
            add("\(path): line \(head.sequence) is not the one that was synced")
        }
    }

    private mutating func check(_ file: String, _ key: HMACSHA256, head: AuditHead?, isCurrent: Bool) {
        guard var reader = AuditLineReader(file) else { return add("\(file): cannot be read") }
        files += 1
        while let next = reader.next() {
            let place = "\(file):\(reader.number)"
            guard next.isWhole else {
                // The process that writes may be at it, or may have been killed at it.
                if !isCurrent { add("\(place): the line is cut off") }
                return
            }
            lines += 1
            guard let line = AuditLine(next.bytes[...], key: key) else {
                add("\(place): the line was changed")
                // What comes after it can still be checked for itself.
                sequence += 1
                code = nil
                continue
            }
            if line.sequence != sequence + 1 {
                add("\(place): line \(line.sequence) stands where \(sequence + 1) should")
            } else if let code, line.previous != code {
                add("\(place): line \(line.sequence) does not follow from the one before it")
            }
            if let outcome = line.startOutcome { add("\(place): at this start the log was found \(outcome.rawValue)") }
            sequence = line.sequence
            code = line.code
            if sequence == head?.sequence { codeAtHead = line.code }
        }
    }

    private mutating func add(_ finding: String) {
        if findings.count < Self.most { findings.append(finding) }
    }
}
