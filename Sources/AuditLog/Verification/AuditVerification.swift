import Crypto

/// Holds all files of a log against their chain, and says what was changed, cut out or moved, and where.
public struct AuditVerification: Sendable {
    /// What is wrong, one line each, in order; at most as many as are of use.
    public private(set) var findings: [String] = []
    /// `<lines> lines in <files> files, the last one is <number>`.
    public var summary: String {
        "\(lines) \(lines == 1 ? "line" : "lines") in \(files) \(files == 1 ? "file" : "files"), the last is number \(sequence)"
    }

    private static let most = 100

    private struct Gap {
        let place: String
        let expected: Int
        let first: AuditLine
    }

    private var lines = 0
    private var files = 0
    private var sequence: Int
    private var code: String?
    /// What is known apart from the lines: the head and the anchor.
    private let known: [AuditPosition]
    /// Lines that are missing before the first one.
    private var gap: Gap?
    /// The last lines that were removed as `audit.keep` says.
    private var removed: RemovedLines?
    /// What is worth knowing, but not wrong.
    public private(set) var notes: [String] = []
    /// Codes of the lines that they name.
    private var codes: [Int: String] = [:]

    /// Checks a log, whether or not a process is writing to it.
    ///
    /// - Parameters:
    ///   - path: of the log's current file.
    ///   - key: the one that it was written under.
    ///   - first: number of the first line that must be there; those before it are kept elsewhere.
    ///   - anchor: a line that is known to have been synced, and is stored apart from the log.
    ///   - report: called now and then with the bytes that were checked and those that there are.
    public init(
        path: String, key: [UInt8], first: Int = 1, anchor: AuditPosition? = nil,
        report: (_ checked: Int, _ all: Int) -> Void = { _, _ in }
    ) throws(AuditFailure) {
        let code: HMACSHA256
        do { code = try HMACSHA256(key: key) } catch { throw AuditFailure("\(error)") }
        var files: [String]
        repeat {
            files = AuditFiles.setAside(path)
            self.init(path: path, key: code, first: first, anchor, report)
            // A file that was set aside while the others were read was missed: read all of them again.
        } while files != AuditFiles.setAside(path)
    }

    private init(
        path: String, key: HMACSHA256, first: Int, _ anchor: AuditPosition?, _ report: (Int, Int) -> Void
    ) {
        sequence = first - 1
        code = first == 1 ? AuditChain.origin : nil
        // The head is read first: lines that are written meanwhile are ahead of it.
        let head = AuditFiles.head(of: path, key: key)
        known = [head.position, anchor].compactMap(\.self)
        let all = AuditFiles.all(path)
        let bytes = AuditFiles.size(of: all)
        // Shown as progress alone. The sizes of files may be anything, so the sum wraps around instead of trapping.
        var before = 0
        for file in all {
            check(file, key, isCurrent: file == path) { report(before &+ $0, bytes) }
            before &+= AuditFiles.size(file)
        }
        if files == 0 { add("\(path): there is no log") }
        checkGap()
        checkKnown(first: first, path)
        switch head {
        case .whole: break
        // What a power cut has torn is written again at the next start; the anchor shows whether lines are missing.
        case .torn where anchor != nil:
            notes.append("\(path).head: torn, as by a power cut: lines behind number \(sequence) would not be missed")
        case .torn, .changed, .absent:
            if files > 0 { add("\(path).head: missing, or changed: the end of the log cannot be checked") }
        }
    }

    /// Lines that a later line says were removed are not missing. A process that was killed has not removed all of them.
    private mutating func checkGap() {
        guard let gap else { return }
        let last = gap.first.start
        guard let removed, removed.first <= last.sequence, removed.last == last || removed.last.sequence > last.sequence
        else { return add("\(gap.place): line \(gap.first.sequence) stands where \(gap.expected) should") }
        let first = max(removed.first, gap.expected)
        if gap.expected < first {
            add("\(gap.place): lines \(gap.expected) to \(first - 1) are missing, which audit.keep has not removed")
        }
        notes.append("lines \(first) to \(last.sequence) were removed, as audit.keep says")
    }

    /// Whether the log reaches the lines that are known to have been synced.
    private mutating func checkKnown(first: Int, _ path: String) {
        let last = known.map(\.sequence).max() ?? 0
        if last > sequence { add("\(path): lines \(sequence + 1) to \(last) are missing at the end") }
        for position in known where position.sequence >= first {
            if let code = codes[position.sequence], code != position.digits {
                add("\(path): line \(position.sequence) is not the one that was synced")
            }
        }
    }

    private mutating func check(_ file: String, _ key: HMACSHA256, isCurrent: Bool, _ report: (Int) -> Void) {
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
            if lines.isMultiple(of: 1_024) { report(reader.position) }
            guard let line = AuditLine(next.bytes[...], key: key) else {
                add("\(place): the line was changed")
                // What comes after it can still be checked for itself.
                sequence += 1
                code = nil
                continue
            }
            // What a line says was removed stood before it.
            if let lines = line.removed, lines.last.sequence < line.sequence { removed = lines }
            if lines == 1, line.sequence > sequence + 1 {
                gap = Gap(place: place, expected: sequence + 1, first: line)
            } else if line.sequence != sequence + 1 {
                add("\(place): line \(line.sequence) stands where \(sequence + 1) should")
            } else if let code, line.previous != code {
                add("\(place): line \(line.sequence) does not follow from the one before it")
            }
            if let outcome = line.startOutcome { add("\(place): at this start the log was found \(outcome.rawValue)") }
            sequence = line.sequence
            code = line.code
            if known.contains(where: { $0.sequence == sequence }) { codes[sequence] = line.code }
        }
    }

    private mutating func add(_ finding: String) {
        if findings.count < Self.most { findings.append(finding) }
    }
}
