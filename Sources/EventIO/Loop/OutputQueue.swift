/// The messages that the sockets of one loop send at the end of an iteration.
///
/// Waking a peer that sleeps on another core costs more than the `send` itself. Sent one right after the other, the messages
/// of an iteration wake a peer once; the later ones find it awake.
struct OutputQueue {
    /// The sink of one socket. Kept by the socket, so that queueing a message allocates nothing.
    final class Destination {
        /// Sends bytes; `nil` once the socket is closed.
        var send: ((RawSpan) -> Void)?
    }

    private struct Part {
        let destination: Destination
        /// Where the part ends in `bytes`; it starts at the end of the part before it.
        var end: Int
    }

    /// The queue is flushed early beyond these bounds.
    private static let maximumBytes = 32_768
    private static let maximumParts = 32

    private var bytes: [UInt8] = []
    private var parts: [Part] = []

    var isEmpty: Bool { parts.isEmpty }

    var isFull: Bool { bytes.count >= OutputQueue.maximumBytes || parts.count >= OutputQueue.maximumParts }

    mutating func append(_ message: [UInt8], for destination: Destination) {
        bytes.append(contentsOf: message)
        if let last = parts.last, last.destination === destination {
            parts[parts.count - 1].end = bytes.count
        } else {
            parts.append(Part(destination: destination, end: bytes.count))
        }
    }

    /// Gives each destination its bytes, in the order of appending; then wipes and empties the queue.
    mutating func flush() {
        var start = 0
        for part in parts {
            part.destination.send?(bytes.span.bytes.extracting(start..<part.end))
            start = part.end
        }
        wipe(&bytes, first: bytes.count)
        bytes.removeAll(keepingCapacity: true)
        parts.removeAll(keepingCapacity: true)
    }
}
