import Crypto

/// The end of a chain of lines, from which the next one is made.
///
/// A line is one JSON object. It begins with its number and ends with the code of the line before it and its own:
/// HMAC-SHA-256 under a key derived from the master key, over everything that stands before. So write access to the file
/// is not enough to change, leave out, move or invent a line unnoticed.
struct AuditChain: Sendable {
    /// What stands in the place of the code before the first line.
    static let origin = String(repeating: "0", count: 64)

    private let key: HMACSHA256
    /// Number of the last line; lines count from 1.
    private(set) var sequence: Int
    /// Code of the last line, 64 hexadecimal digits.
    private(set) var code: String

    init(key: HMACSHA256, sequence: Int = 0, code: String = AuditChain.origin) {
        self.key = key
        self.sequence = sequence
        self.code = code
    }

    /// What a line has besides the members of its event, in bytes.
    private static let overhead = 192

    /// The lines of these events, in order, each with its line break.
    mutating func lines(of batch: AuditBatch) throws(AuditFailure) -> [UInt8] {
        var lines = AuditText(capacity: batch.text.count + batch.count * Self.overhead)
        var last = Array(code.utf8)
        for index in 0..<batch.count {
            let start = lines.bytes.count
            lines.append("{\"seq\":")
            lines.append(sequence + index + 1)
            lines.append(",")
            lines.append(batch.members(at: index))
            lines.append(",\"previous\":\"")
            lines.append(last)
            lines.append("\"")
            do { last = Hexadecimal.digits(of: try key.code(for: lines.bytes.span.extracting(start...))) } catch {
                throw AuditFailure("a line cannot be made: \(error)")
            }
            lines.append(",\"mac\":\"")
            lines.append(last)
            lines.append("\"}\n")
        }
        sequence += batch.count
        code = String(decoding: last, as: UTF8.self)
        return lines.bytes
    }

    /// The code that a line's or a head's bytes should have.
    fileprivate static func code(_ bytes: [UInt8], under key: HMACSHA256) -> String? {
        (try? key.code(for: bytes)).map(Hexadecimal.encode)
    }
}

/// What a written line says of its place in the chain.
struct AuditLine {
    let sequence: Int
    /// Code of the line before it.
    let previous: String
    /// Its own code, which is right.
    let code: String
    /// What had happened to the log itself before this line, if anything had: the outcome of a start. Two are left out: lines that were
    /// forged stay in the file and are found one by one, and torn ones are no fault.
    let startOutcome: AuditEvent.Outcome?
    /// The last line of those whose removal this line records.
    let dropped: AuditPosition?

    private static let prefix = Array("{\"seq\":".utf8)
    private static let previousName = Array(",\"previous\":\"".utf8)
    private static let codeName = Array("\",\"mac\":\"".utf8)
    private static let end = Array("\"}".utf8)
    private static let digits = 64

    /// The number that a line gives itself, right or not.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.starts(with: prefix) else { return nil }
        let digits = bytes.dropFirst(prefix.count).prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    /// The code that stands at the end of a file's last line, right or not.
    static func code(atEndOf bytes: [UInt8]) -> String? {
        let tail = bytes.suffix(codeName.count + digits + end.count + 1)
        guard tail.starts(with: codeName), tail.count == codeName.count + digits + end.count + 1 else { return nil }
        return String(decoding: tail.dropFirst(codeName.count).prefix(digits), as: UTF8.self)
    }

    /// Whether a line begins as all lines do.
    static func begins(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: prefix) }

    /// Whether all there is may be the beginning of a line that a killed process has left.
    static func isBeginning(_ bytes: [UInt8]) -> Bool { prefix.starts(with: bytes) }

    /// Reads a line without its line break; nil if it is none, or its code is not right.
    init?(_ bytes: ArraySlice<UInt8>, key: HMACSHA256) {
        let tail = Self.previousName.count + Self.digits + Self.codeName.count + Self.digits + Self.end.count
        guard bytes.count > tail + Self.prefix.count, bytes.starts(with: Self.prefix) else { return nil }
        var rest = bytes.suffix(tail)
        guard rest.starts(with: Self.previousName) else { return nil }
        rest = rest.dropFirst(Self.previousName.count)
        let previous = String(decoding: rest.prefix(Self.digits), as: UTF8.self)
        rest = rest.dropFirst(Self.digits)
        guard rest.starts(with: Self.codeName) else { return nil }
        rest = rest.dropFirst(Self.codeName.count)
        let code = String(decoding: rest.prefix(Self.digits), as: UTF8.self)
        // The writer's code covers everything up to the quote that ends `previous`.
        let covered = Array(bytes.dropLast(Self.codeName.count - 1 + Self.digits + Self.end.count))
        guard rest.dropFirst(Self.digits).elementsEqual(Self.end), let right = AuditChain.code(covered, under: key),
            ConstantTime.equal(Array(right.utf8), Array(code.utf8))
        else { return nil }
        guard let sequence = Self.number(bytes) else { return nil }
        self.sequence = sequence
        self.previous = previous
        self.code = code
        startOutcome = Self.startOutcome(bytes)
        dropped = Self.dropped(bytes)
    }

    private static let dropEvent = Array(",\"event\":\"drop\",\"outcome\":\"done\",\"through\":".utf8)
    private static let dropCode = Array(",\"code\":\"".utf8)

    /// Quotes in texts are escaped, so that only members match.
    private static func dropped(_ bytes: ArraySlice<UInt8>) -> AuditPosition? {
        let start = bytes.prefix(160)
        guard let end = end(of: dropEvent, in: start) else { return nil }
        let digits = bytes[end...].prefix { (0x30...0x39).contains($0) }
        let rest = bytes[digits.endIndex...]
        guard let sequence = Int(String(decoding: digits, as: UTF8.self)), rest.starts(with: dropCode) else {
            return nil
        }
        let code = rest.dropFirst(dropCode.count).prefix(Self.digits)
        return AuditPosition(sequence: sequence, digits: String(decoding: code, as: UTF8.self))
    }

    private static let startEvent = Array(",\"event\":\"start\",\"outcome\":\"".utf8)

    private static func startOutcome(_ bytes: ArraySlice<UInt8>) -> AuditEvent.Outcome? {
        guard let end = end(of: startEvent, in: bytes.prefix(160)) else { return nil }
        return [AuditEvent.Outcome.cut, .headless, .foreign].first {
            bytes[end...].starts(with: "\($0.rawValue)\"".utf8)
        }
    }

    /// Behind the first place of `pattern`. A log of some ten thousand lines is read at start: searching in them as texts took longer than
    /// checking their codes.
    private static func end(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var start = bytes[...]
        while let place = start.firstIndex(of: UInt8(ascii: ",")) {
            if start[place...].starts(with: pattern) { return place + pattern.count }
            start = start[(place + 1)...]
        }
        return nil
    }
}

/// How far the log went when it was last synced, in a small file beside it: so that lines cut off its end are missed. It has
/// a code of its own, so that a cut log cannot be given a head that fits.
struct AuditHead: Equatable {
    /// Bytes of every head.
    static let length = 20 + 1 + 64 + 1 + 64 + 1

    let sequence: Int
    /// Code of the line with this number.
    let code: String

    init(sequence: Int, code: String) {
        self.sequence = sequence
        self.code = code
    }

    var position: AuditPosition { AuditPosition(sequence: sequence, digits: code) }

    /// Nil if `bytes` are not the head of a log under this key.
    init?(_ bytes: [UInt8], key: HMACSHA256) {
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let sequence = Int(parts[0]) else { return nil }
        self.init(sequence: sequence, code: String(parts[1]))
        guard let right = self.bytes(key), ConstantTime.equal(right, bytes) else { return nil }
    }

    /// Whether bytes that are no head may be what a power cut has left of one, or of two.
    static func mayBeTorn(_ bytes: [UInt8]) -> Bool {
        for (index, byte) in bytes.enumerated() where byte != 0 {
            let fits =
                switch index {
                case 20, 85: byte == UInt8(ascii: " ")
                case length - 1: byte == UInt8(ascii: "\n")
                case 0..<20: (0x30...0x39).contains(byte)
                case 0..<length: (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                default: false
                }
            if !fits { return false }
        }
        return true
    }

    /// `<20 digits> <64 hexadecimal digits> <64 hexadecimal digits>` and a line break. The length never changes, so that one
    /// write overwrites it in place.
    func bytes(_ key: HMACSHA256) -> [UInt8]? {
        let number = String(sequence)
        let text = String(repeating: "0", count: max(0, 20 - number.utf8.count)) + number + " " + code
        guard let own = AuditChain.code(Array(text.utf8), under: key) else { return nil }
        return Array("\(text) \(own)\n".utf8)
    }
}
