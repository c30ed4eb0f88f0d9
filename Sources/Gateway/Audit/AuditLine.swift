import Crypto

/// What a written line says of its place in the chain.
struct AuditLine {
    let sequence: Int
    /// Code of the line before it.
    let previous: String
    /// Its own code, which is right.
    let code: String
    /// What happened at its time to the log itself, if anything did: the outcome of a start.
    let startOutcome: AuditEvent.Outcome?

    private static let prefix = Array("{\"seq\":".utf8)
    private static let previousName = Array(",\"previous\":\"".utf8)
    private static let codeName = Array("\",\"mac\":\"".utf8)
    private static let end = Array("\"}".utf8)
    private static let digits = 64

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
        let number = bytes.dropFirst(Self.prefix.count).prefix { (0x30...0x39).contains($0) }
        guard let sequence = Int(String(decoding: number, as: UTF8.self)) else { return nil }
        self.sequence = sequence
        self.previous = previous
        self.code = code
        startOutcome = Self.startOutcome(bytes)
    }

    private static func startOutcome(_ bytes: ArraySlice<UInt8>) -> AuditEvent.Outcome? {
        let text = String(decoding: bytes.prefix(160), as: UTF8.self)
        guard text.contains("\"event\":\"start\"") else { return nil }
        return [AuditEvent.Outcome.cut, .headless, .foreign].first { text.contains("\"outcome\":\"\($0.rawValue)\"") }
    }
}
