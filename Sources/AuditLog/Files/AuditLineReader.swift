import Glibc

/// Reads a file line by line.
struct AuditLineReader: ~Copyable {
    private static let piece = 1 << 20
    /// Bytes of the longest line; what is longer comes in parts, none of which is a line of the log. The log writes none that is nearly as
    /// long, but a file that was overwritten may be one of many gigabytes.
    static let longestLine = 64 << 20

    private let descriptor: Int32
    private var pending: [UInt8] = []
    private var used = 0
    private var offset: Int
    private var isAtEnd = false
    /// Number of the line that was read last; lines count from 1.
    private(set) var number = 0

    /// Bytes of the file up to the end of the line that was read last.
    var position: Int { offset - pending.count + used }

    /// Nil if the file cannot be opened.
    ///
    /// - Parameter start: where a line begins.
    init?(_ path: String, from start: Int = 0) {
        offset = start
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// The next line without its line break; not whole if the file ends in it. Nil at the end.
    mutating func next() -> (bytes: [UInt8], isWhole: Bool)? {
        var searched = used
        while true {
            if let end = pending[searched...].firstIndex(of: 0x0A) {
                defer { used = end + 1 }
                number += 1
                return (Array(pending[used..<end]), true)
            }
            if isAtEnd {
                guard used < pending.count else { return nil }
                defer { used = pending.count }
                number += 1
                return (Array(pending[used...]), false)
            }
            if pending.count - used >= Self.longestLine {
                defer { used = pending.count }
                number += 1
                return (Array(pending[used...]), true)
            }
            pending.removeFirst(used)
            used = 0
            searched = pending.count
            let more = AuditBytes.read(descriptor, from: offset, count: Self.piece) ?? []
            offset += more.count
            isAtEnd = more.count < Self.piece
            pending += more
        }
    }
}
