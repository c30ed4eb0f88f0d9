/// What the streams of one loop have to send when its turn ends.
///
/// Waking a peer that sleeps on another core costs the sender more than the sending does. Written one behind the other, the
/// messages of a turn wake it once; the others find it awake.
struct Outbox {
    private struct Part {
        let stream: Stream
        /// Where in `bytes` it ends; it begins where the one before it does.
        var end: Int
    }

    /// What is held back at the most; a turn that has more to say sends some of it earlier.
    private static let maximumBytes = 32_768
    private static let maximumParts = 32

    private var bytes: [UInt8] = []
    private var parts: [Part] = []

    var isEmpty: Bool { parts.isEmpty }

    var isFull: Bool { bytes.count >= Outbox.maximumBytes || parts.count >= Outbox.maximumParts }

    mutating func append(_ message: [UInt8], for stream: Stream) {
        bytes.append(contentsOf: message)
        if let last = parts.last, last.stream === stream {
            parts[parts.count - 1].end = bytes.count
        } else {
            parts.append(Part(stream: stream, end: bytes.count))
        }
    }

    /// Hands every stream its part, in the order of appending; forgets and wipes all of them.
    mutating func deliver() {
        var start = 0
        for part in parts {
            part.stream.send(posted: bytes.span.bytes.extracting(start..<part.end))
            start = part.end
        }
        wipe(&bytes, first: bytes.count)
        bytes.removeAll(keepingCapacity: true)
        parts.removeAll(keepingCapacity: true)
    }
}
