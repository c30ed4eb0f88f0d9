import HTTPWire

/// Reads all requests of a connection, as a server does, and records the result.
enum RequestStream {
    enum Event: Equatable {
        case request(String, body: [UInt8])
        case refused(WireError)
        /// The bytes ended in the middle of a message.
        case unfinished
    }

    static func read(
        _ bytes: [UInt8], _ delivery: Delivery, limits: HeadLimits = HeadLimits(), bodyLimit: Int = 1000
    ) -> [Event] {
        read(delivery.pieces(of: bytes), limits: limits, bodyLimit: bodyLimit)
    }

    static func read(
        _ pieces: [[UInt8]], limits: HeadLimits = HeadLimits(), bodyLimit: Int = 1000
    ) -> [Event] {
        var reader = Reader(limits: limits, bodyLimit: bodyLimit)
        for piece in pieces {
            reader.buffer += piece
            do {
                try reader.advance()
            } catch {
                return reader.events + [.refused(error)]
            }
        }
        return reader.isIdle ? reader.events : reader.events + [.unfinished]
    }

    private struct Reader {
        var buffer: [UInt8] = []
        var events: [Event] = []
        private let bodyLimit: Int
        private var parser: RequestHeadParser
        private var body: (decoder: BodyDecoder, head: String, payload: [UInt8])?

        init(limits: HeadLimits, bodyLimit: Int) {
            parser = RequestHeadParser(limits: limits)
            self.bodyLimit = bodyLimit
        }

        var isIdle: Bool { buffer.isEmpty && body == nil }

        mutating func advance() throws(WireError) {
            while true {
                let buffer = buffer
                if body == nil {
                    guard let head = try parser.parse(buffer.span) else { return }
                    self.buffer.removeFirst(head.byteCount)
                    body = (try BodyDecoder(head.framing, limit: bodyLimit), head.summary, [])
                }
                guard var current = body else { return }
                let progress = try current.decoder.decode(self.buffer.span, into: &current.payload)
                self.buffer.removeFirst(progress.consumed)
                guard progress.isComplete else {
                    body = current
                    return
                }
                events.append(.request(current.head, body: current.payload))
                body = nil
            }
        }
    }
}

extension RequestHead {
    /// All properties of a head in one line.
    var summary: String {
        let lines = headers.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
        let query = target.query.map { "?" + $0 } ?? ""
        return "\(method) \(target.form) \(target.path)\(query) \(version) \(framing) host=\(host ?? "-")"
            + " keepAlive=\(keepAlive) continue=\(expectsContinue) \(lines)"
    }
}
