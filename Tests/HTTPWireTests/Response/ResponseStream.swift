import HTTPWire

/// Reads one response of a connection, informational heads before it included, as a client does.
enum ResponseStream {
    enum Outcome: Equatable {
        case response([String], body: [UInt8], left: Int)
        case failed(WireError)
    }

    static func read(
        _ bytes: [UInt8], for method: Method = .get, _ delivery: Delivery, bodyLimit: Int = 1000
    ) -> Outcome {
        read(delivery.pieces(of: bytes), for: method, bodyLimit: bodyLimit)
    }

    static func read(_ pieces: [[UInt8]], for method: Method, bodyLimit: Int = 1000) -> Outcome {
        var parser = ResponseHeadParser(limits: HeadLimits(startLineBytes: 64, headerBytes: 256, headerCount: 8))
        var buffer: [UInt8] = []
        var heads: [String] = []
        var payload: [UInt8] = []
        var body: BodyDecoder?
        do throws(WireError) {
            var pieces = pieces[...]
            while body?.isComplete != true {
                guard let piece = pieces.popFirst() else { break }
                buffer += piece
                while body == nil, let head = try parser.parse(buffer.span, for: method) {
                    buffer.removeFirst(head.byteCount)
                    heads.append("\(head.status) \(head.version) \(head.framing) keepAlive=\(head.keepAlive)")
                    if !head.isInformational { body = try BodyDecoder(head.framing, limit: bodyLimit) }
                }
                if var decoder = body {
                    let progress = try decoder.decode(buffer.span, into: &payload)
                    buffer.removeFirst(progress.consumed)
                    body = decoder
                }
            }
            guard let body else { return .failed(.truncated) }
            try body.finish()
            return .response(heads, body: payload, left: pieces.reduce(buffer.count) { $0 + $1.count })
        } catch {
            return .failed(error)
        }
    }
}
