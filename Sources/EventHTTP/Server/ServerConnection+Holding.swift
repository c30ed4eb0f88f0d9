import EventIO

/// What a connection holds of requests that are not complete, and what becomes of it when the loop needs the memory.
extension ServerConnection {
    /// Charges what has been received to the loop, which may have to give it up: otherwise every connection could hold the largest request but
    /// for its end. A complete request is always handled.
    func chargeReceived() throws(ConnectionEnd) {
        let bytes = reader.unfinishedHeadBytes
        if arrived != nil || bytes == 0 {
            givenUp = nil
            if isUnfinished { server.removeUnfinished(self) }
            isUnfinished = false
        }
        // What is given up is not charged again: others would have to make room for it.
        try requireNotGivenUp()
        chargeBody(arrived?.body.count ?? reader.bufferedBytes)
        if arrived == nil { try requireNotGivenUp() }
        guard bytes > 0 else { return }
        isUnfinished = true
        server.setUnfinished(bytes + min(reader.bufferedBytes, ServerConnection.smallBody), of: self)
        if arrived == nil { try requireNotGivenUp() }
    }

    private func chargeBody(_ count: Int) {
        guard count > ServerConnection.smallBody else { return }
        charge.set(count)
        server.noteLoad()
        if !server.setLargeBody(count, isComplete: arrived != nil, of: self) { givenUp = Self.manyBodies }
    }

    private static let manyBodies = "too many large bodies are being received"

    /// The loop needs the memory of what has been received for others.
    func giveUp() {
        givenUp = "too many requests are being received"
        releaseNow()
    }

    /// The same, of a large body.
    func giveUpBody() {
        givenUp = Self.manyBodies
        stopCharging()
        releaseNow()
    }

    /// Releases what was given up. A task that waits for bytes of the request does so itself, and responds; one that handles a request, or
    /// sends a response, may do that for long.
    private func releaseNow() {
        if waitsForReader { return release() }
        guard work != .none else { return socket.wake() }
        // What has come whole behind the present request is handled after it.
        do throws(RequestRejection) { if arrived == nil { arrived = try reader.next() } } catch { refusal = error }
        if arrived == nil { release() } else { givenUp = nil }
    }

    func requireNotGivenUp() throws(ConnectionEnd) {
        if let givenUp { throw .rejected(rejection(for: givenUp)) }
    }

    private func rejection(for reason: String) -> RequestRejection {
        RequestRejection(status: 503, reason: reason, head: reader.head, partialHead: reader.partialHead)
    }

    /// Releases what was given up. A client that does not take its responses could keep it from being refused for as long as it likes.
    func release() {
        guard let reason = givenUp.take() else { return }
        refusal = refusal ?? rejection(for: reason)
        reader.discard()
        // Not for a request that has come whole: it is handled as soon as the client has taken what it waits for. Nor for one that is in
        // its handler.
        if arrived == nil, work != .handling { stopCharging() }
    }

    /// The body is not buffered any more.
    func stopCharging() {
        guard !charge.isEmpty else { return }
        charge.set(0)
        server.removeLargeBody(of: self)
        server.noteLoad()
    }
}
