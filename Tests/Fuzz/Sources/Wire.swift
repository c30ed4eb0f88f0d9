import HTTPWire

/// What a reader made of a stream of messages. A stream means the same however its bytes arrive.
private struct Reading: Equatable {
    var heads: [String] = []
    var bodies: [[UInt8]] = []
    var error: WireError?
}

private let limits = HeadLimits(startLineBytes: 200, headerBytes: 400, headerCount: 10)
private let bodyLimit = 300

/// Bytes come in pieces; what a step did not consume is given to it again with what comes next.
private func read(
    _ pieces: [ArraySlice<UInt8>], head: (Span<UInt8>) throws(WireError) -> (String, BodyFraming, Int)?
) -> Reading {
    var reading = Reading()
    var pending: [UInt8] = []
    var decoder: BodyDecoder?
    var body: [UInt8] = []
    do throws(WireError) {
        for piece in pieces {
            pending += piece
            while !pending.isEmpty {
                if var active = decoder {
                    let progress = try active.decode(pending.span, into: &body)
                    promise(progress.consumed <= pending.count)
                    pending.removeFirst(progress.consumed)
                    decoder = active
                    guard progress.isComplete else { break }
                    reading.bodies.append(body)
                    body = []
                    decoder = nil
                } else {
                    guard let (text, framing, used) = try head(pending.span) else { break }
                    promise(used <= pending.count)
                    reading.heads.append(text)
                    pending.removeFirst(used)
                    let next = try BodyDecoder(framing, limit: bodyLimit)
                    if next.isComplete { reading.bodies.append([]) } else { decoder = next }
                }
            }
        }
    } catch { reading.error = error }
    return reading
}

/// Whole, by bytes, and cut at a place that the input chooses.
private func ways(_ bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    let cut = Int(bytes.last ?? 0) % (bytes.count + 1)
    return [[bytes[...]], bytes.indices.map { bytes[$0...$0] }, [bytes[..<cut], bytes[cut...]]]
}

func fuzzRequest(_ bytes: [UInt8]) {
    let readings = ways(bytes).map { pieces in
        var parser = RequestHeadParser(limits: limits)
        return read(pieces) { (buffer) throws(WireError) in
            guard let head = try parser.parse(buffer) else { return nil }
            let fields = head.headers.map { "\($0.name): \($0.value)" }
            return (
                "\(head.method.name) \(head.target.text) \(head.path) \(head.target.query ?? "-") \(fields) "
                    + "\(head.framing) \(head.keepAlive) \(head.expectsContinue)",
                head.framing, head.byteCount
            )
        }
    }
    for other in readings.dropFirst() { promise(other == readings[0], "\(readings[0]) / \(other)") }
}

func fuzzResponse(_ bytes: [UInt8]) {
    let method: Method = (bytes.last ?? 0) % 2 == 0 ? .head : .get
    let readings = ways(bytes).map { pieces in
        var parser = ResponseHeadParser(limits: limits)
        return read(pieces) { (buffer) throws(WireError) in
            guard let head = try parser.parse(buffer, for: method) else { return nil }
            return ("\(head.status) \(head.framing) \(head.keepAlive)", head.framing, head.byteCount)
        }
    }
    for other in readings.dropFirst() { promise(other == readings[0], "\(readings[0]) / \(other)") }
}

func fuzzChunks(_ bytes: [UInt8]) {
    let readings = ways(bytes).map { pieces in
        var hasHead = false
        return read(pieces) { (_) throws(WireError) in
            guard !hasHead else { throw .truncated }
            hasHead = true
            return ("", .chunked, 0)
        }
    }
    for other in readings.dropFirst() { promise(other == readings[0], "\(readings[0]) / \(other)") }
}
