import Crypto

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
    /// The lines whose removal this line records.
    let removed: RemovedLines?

    /// Its place in the chain.
    var position: AuditPosition { AuditPosition(sequence: sequence, digits: code) }
    /// The place before it.
    var start: AuditPosition { AuditPosition(sequence: sequence - 1, digits: previous) }

    private static let prefix = Array("{\"seq\":".utf8)
    private static let timeName = Array(",\"time\":\"".utf8)
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

    /// The time that a line gives itself, in RFC 3339; nil if it has none.
    static func time(_ bytes: ArraySlice<UInt8>) -> String? {
        end(of: timeName, in: bytes.prefix(64)).map { String(decoding: bytes[$0...].prefix(24), as: UTF8.self) }
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
        removed = Self.removed(bytes)
    }

    private static let dropEvent = Array(",\"event\":\"drop\",\"outcome\":\"done\"".utf8)
    private static let dropFirst = Array(",\"from\":".utf8)
    private static let dropLast = Array(",\"through\":".utf8)
    private static let dropCode = Array(",\"code\":\"".utf8)

    /// Whether a line is one that records a removal, right or not. Quotes in texts are escaped, so that only members match.
    static func recordsRemoval(_ bytes: ArraySlice<UInt8>) -> Bool { end(of: dropEvent, in: bytes.prefix(160)) != nil }

    private static func removed(_ bytes: ArraySlice<UInt8>) -> RemovedLines? {
        let start = bytes.prefix(160)
        guard recordsRemoval(bytes), let through = number(behind: dropLast, in: start),
            bytes[through.end...].starts(with: dropCode)
        else { return nil }
        let code = bytes[through.end...].dropFirst(dropCode.count).prefix(Self.digits)
        // Older versions have not said which the first one was.
        let first = number(behind: dropFirst, in: start)?.number ?? 1
        return RemovedLines(
            first: first, last: AuditPosition(sequence: through.number, digits: String(decoding: code, as: UTF8.self)))
    }

    /// The number behind the first place of `name`, and where it ends.
    private static func number(behind name: [UInt8], in bytes: ArraySlice<UInt8>) -> (number: Int, end: Int)? {
        guard let start = end(of: name, in: bytes) else { return nil }
        let digits = bytes[start...].prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self)).map { ($0, digits.endIndex) }
    }

    private static let startEvent = Array(",\"event\":\"start\",\"outcome\":\"".utf8)

    /// Whether a line says that a start has found the log other than it was left.
    static func findsDamage(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let end = end(of: startEvent, in: bytes.prefix(160)) else { return false }
        return !bytes[end...].starts(with: "done\"".utf8)
    }

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
