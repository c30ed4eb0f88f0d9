import EventIO

extension ServerConnection {
    /// Reads the header of the PROXY protocol and not a byte more: what follows may be TLS.
    @inline(never)
    func readProxyHeader() async throws(ConnectionEnd) {
        beginWait(after: ServerConnection.peerPatience)
        defer { endWait() }
        // Those without a place are decided about soon, so that few of them wait at once.
        let patience = hasPlace ? server.headerTimeout : min(server.headerTimeout, 1_000)
        socket.deadline = .now.advanced(byMilliseconds: patience)
        do {
            var known = 0
            while true {
                guard let header = try proxyHeader(&known) else {
                    try await socket.awaitMore()
                    continue
                }
                var bytes = [UInt8](repeating: 0, count: header.byteCount)
                guard try socket.receive(into: &bytes) == .bytes(header.byteCount) else { throw IOError.connectionLost }
                hidesClient = header.hidesClient
                if let source = header.source {
                    remoteBits = source.bits
                    server.noteSubscriber(of: self)
                }
                socket.deadline = nil
                return
            }
        } catch { throw .gone }
    }

    /// The header, without taking it from the kernel's buffer; `nil` if it is not complete.
    ///
    /// - Parameter known: how many bytes of it had come before. Behind bytes the end cannot be seen by looking at them.
    @inline(never)
    private func proxyHeader(_ known: inout Int) throws -> ProxyHeader? {
        var buffer: [UInt8] = []
        swap(&buffer, &server.buffer)
        defer { swap(&buffer, &server.buffer) }
        switch try socket.peek(into: &buffer) {
        case .bytes(let count):
            defer { wipe(&buffer, first: count) }
            if count == known, socket.peerHasEnded { throw IOError.connectionLost }
            known = count
            return try ProxyHeader.parse(buffer.span.extracting(0..<count))
        case .end: throw IOError.connectionLost
        case .wait: return nil
        }
    }
}
