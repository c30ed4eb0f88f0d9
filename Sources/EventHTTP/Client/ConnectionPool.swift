import EventIO

/// The idle connections of one loop to one origin. Belongs to the loop's thread.
final class ConnectionPool {
    private var idle: [EventIO.Stream] = []
    private let limits: ClientLimits

    init(limits: ClientLimits) { self.limits = limits }

    var count: Int { idle.count }

    /// The connection used last, which is the least likely to have been given up by the peer; `nil` if there is none that
    /// still lives.
    func take() -> EventIO.Stream? {
        while let stream = idle.popLast() {
            stream.unwatch()
            if isQuiet(stream) { return stream }
            stream.close()
        }
        return nil
    }

    /// Keeps a connection whose exchange is over. The longest unused one goes if there are too many.
    func keep(_ stream: EventIO.Stream) {
        if stream.maySucceedReading, !isQuiet(stream) { return stream.close() }
        idle.append(stream)
        if idle.count > limits.idleConnections {
            let oldest = idle.removeFirst()
            oldest.unwatch()
            oldest.close()
        }
        guard !stream.isClosed else { return }
        stream.deadline = .now + limits.idleTimeout
        watch(stream)
    }

    func closeAll() {
        for stream in idle {
            stream.unwatch()
            stream.close()
        }
        idle = []
    }

    /// Closed by the peer, silent for too long, or talking out of turn: a connection on which something happens while it is
    /// idle is of no more use, unless it was TLS's own business (a session ticket, RFC 8446 section 4.6.1).
    private func watch(_ stream: EventIO.Stream) {
        // The stream holds the action, and is there when it calls it; the pool may be gone by then.
        stream.watch { [weak self, weak stream] in
            guard let stream, !stream.isClosed else { return }
            guard let self else { return stream.close() }
            if isQuiet(stream) { return watch(stream) }
            idle.removeAll { $0 === stream }
            stream.close()
        }
    }

    /// Whether there is nothing to read and no end, by asking the kernel.
    private func isQuiet(_ stream: EventIO.Stream) -> Bool {
        var byte: [UInt8] = [0]
        guard let received = try? stream.receive(into: &byte), case .wait(.read) = received else { return false }
        return true
    }
}
