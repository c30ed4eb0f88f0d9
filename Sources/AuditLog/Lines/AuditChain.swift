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
    static func code(_ bytes: [UInt8], under key: HMACSHA256) -> String? {
        (try? key.code(for: bytes)).map(Hexadecimal.encode)
    }
}
