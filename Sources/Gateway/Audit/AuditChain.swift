import Crypto
import JSON

/// The end of a chain of lines, from which the next one is made.
///
/// A line is one JSON object. It begins with its number and ends with the code of the line before it and its own:
/// HMAC-SHA-256 under a key that only the holder of the master key has, over everything that stands before. So no line can
/// be changed, left out or moved, and none made up, by somebody who can merely write to the file.
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
    static let overhead = 192

    /// Writes the lines of these events, in order, each with its line break.
    mutating func write(_ batch: AuditBatch, into json: inout JSONWriter) throws(CryptoError) {
        var last = Array(code.utf8)
        for index in 0..<batch.count {
            let start = json.count
            json.raw("{\"seq\":")
            json.number(sequence + index + 1)
            json.raw(",")
            json.raw(batch.text.span.extracting(batch.range(at: index)))
            json.raw(",\"previous\":\"")
            json.raw(last)
            json.raw("\"")
            let code = try json.withBytes(since: start) { (line) throws(CryptoError) in try key.code(for: line) }
            last = Hexadecimal.digits(of: code)
            json.raw(",\"mac\":\"")
            json.raw(last)
            json.raw("\"}\n")
        }
        sequence += batch.count
        code = String(decoding: last, as: UTF8.self)
    }

    /// The code that a line's or a head's bytes should have.
    static func code(_ bytes: [UInt8], under key: HMACSHA256) -> String? {
        (try? key.code(for: bytes)).map(Hexadecimal.encode)
    }
}
