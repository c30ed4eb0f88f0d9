import Crypto

/// A walk along the chain, from a line that is known to have been synced to the last one that follows.
///
/// After a power cut that is not the last line of the file: of what was not synced any sectors may be there.
struct AuditWalk {
    /// What stands behind the last line of the chain.
    enum Rest {
        /// Nothing, or the beginning of one line, as a killed process leaves it.
        case begun
        /// Lines in part, as a power cut leaves them.
        case torn
        /// Whole lines that this log has not written.
        case forged
    }

    /// The last line that follows.
    private(set) var position: AuditPosition
    /// The file in which it stands; nil if no line follows and the first was not found.
    private(set) var file: String?
    /// Bytes of that file up to the end of the line.
    private(set) var end = 0
    private(set) var rest = Rest.begun
    /// Whether the walk has ended before the last file.
    private(set) var isInterrupted = false

    private let key: HMACSHA256
    /// Bytes at the end of a file in which the first line usually is: after an orderly end, and after a cut.
    private static let reaches = [64 << 10, 4 << 20]

    /// Nil if the line at `start` is not there.
    ///
    /// - Parameters:
    ///   - files: of the log, oldest first.
    ///   - path: of its current file, whose own name may look like that of one that was set aside.
    init?(_ files: [String], of path: String, from start: AuditPosition, key: HMACSHA256) {
        self.key = key
        position = start
        let files = files.filter { $0 == path || AuditFiles.lastSequence(ofSetAside: $0) ?? .max >= start.sequence }
        var isFound = start.sequence == 0
        for (index, name) in files.enumerated() {
            guard let reader = AuditLineReader(name, from: isFound ? 0 : Self.offset(of: start, in: name)) else {
                return nil
            }
            guard follow(reader, in: name, &isFound) else { return nil }
            if isFound, end < AuditFiles.size(name), index < files.count - 1 {
                isInterrupted = true
                return
            }
        }
        if !isFound { return nil }
    }

    /// Follows the chain in one file. False if it holds lines behind the first one of the walk, but not that.
    ///
    /// The first one is the one with its number and its code: others may have been put before it. Only where a file begins with the line that
    /// follows it, the file before, which may be kept elsewhere, has ended with it.
    private mutating func follow(_ lines: consuming AuditLineReader, in name: String, _ isFound: inout Bool) -> Bool {
        var isFirst = true
        while let next = lines.next() {
            let number = isFound ? nil : AuditLine.number(next.bytes[...])
            if !isFound, number == nil { continue }
            defer { isFirst = false }
            if let number, number < position.sequence { continue }
            let line = next.isWhole ? AuditLine(next.bytes[...], key: key) : nil
            if !isFound {
                guard let line else { continue }
                if line.sequence == position.sequence {
                    guard line.code == position.digits else { return false }
                    isFound = true
                    (file, end) = (name, lines.position)
                    continue
                }
                guard isFirst, line.follows(position) else { return false }
                isFound = true
            }
            guard let line, line.follows(position) else {
                rest = rest(next, &lines)
                if file != name { (file, end) = (name, 0) }
                return true
            }
            position = AuditPosition(sequence: line.sequence, digits: line.code)
            (file, end) = (name, lines.position)
        }
        return true
    }

    /// What a rest is that begins with `first`. Sectors that were never written are zero, and lines that were not synced have a right code
    /// and a higher number; a whole line before either of them is none of this log's.
    private func rest(_ first: (bytes: [UInt8], isWhole: Bool), _ lines: inout AuditLineReader) -> Rest {
        var next: (bytes: [UInt8], isWhole: Bool)? = first
        while let line = next {
            if line.bytes.contains(0) { return .torn }
            if line.isWhole {
                let written = AuditLine(line.bytes[...], key: key)
                return written.map { $0.sequence > position.sequence } == true ? .torn : .forged
            }
            next = lines.next()
        }
        return .begun
    }

    /// Where reading may begin, so that a large file is not read as a whole.
    private static func offset(of start: AuditPosition, in file: String) -> Int {
        for reach in reaches {
            guard let (bytes, offset) = AuditBytes.tail(file, limit: reach), offset > 0 else { return 0 }
            if let lineStart = bytes.firstIndex(of: 0x0A).map({ $0 + 1 }),
                let first = AuditLine.number(bytes[lineStart...]), first <= start.sequence
            {
                return offset + lineStart
            }
        }
        return 0
    }
}

extension AuditLine {
    /// Whether it stands behind the line at `position`.
    fileprivate func follows(_ position: AuditPosition) -> Bool {
        sequence == position.sequence + 1 && previous == position.digits
    }
}
