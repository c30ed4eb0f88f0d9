extension Stream {
    /// Has `message` sent when the loop's turn ends, behind what was posted before. It is copied.
    ///
    /// A peer that is gone by then is noticed by the next wait for bytes, once what it has sent before has been read.
    public func post(_ message: [UInt8]) {
        precondition(loop.isCurrent, "a stream belongs to its loop's thread")
        guard !isClosed, !message.isEmpty else { return }
        loop.post(message, on: self)
        // The sending will tell of a reset; no read has to look for one.
        isEmptyByInference = false
        isPosted = true
    }

    /// Sends now what was posted, on this stream and on all others of the loop: for those whose work takes long.
    public func sendPosted() { loop.deliver() }

    /// Whether the kernel has not taken all of what was posted and was to be sent since: the peer reads slower than it is
    /// written to.
    public var isBehind: Bool { !unsent.isEmpty }

    /// Whether sending has failed: nothing more can be sent, but what the peer sent before can be read.
    public var hasLostPeer: Bool { sendFailure != nil }

    /// Waits until the kernel has taken everything that was posted. Throws as `wait` does, and if the peer is gone.
    public func finishSending() async throws(IOError) {
        if isPosted { loop.deliver() }
        while !unsent.isEmpty {
            ready.remove(.write)
            try await wait(for: .write)
        }
        if let sendFailure { throw sendFailure }
    }

    /// Sends what the loop's outbox holds for this stream; keeps what the kernel does not take.
    func send(posted bytes: RawSpan) {
        isPosted = false
        guard !isClosed else { return }
        // The pointers do not leave the closures.
        if unsent.isEmpty {
            let count = bytes.withUnsafeBytes { sendAll($0) }
            guard count < bytes.byteCount, sendFailure == nil else { return }
            bytes.withUnsafeBytes { unsent.append(contentsOf: $0.dropFirst(count)) }
            // Whoever waits is to see that the peer reads slower than it is written to.
            resume()
        } else {
            bytes.withUnsafeBytes { unsent.append(contentsOf: $0) }
            sendUnsent()
        }
    }

    /// Sends more of what the kernel has not taken.
    func sendUnsent() {
        // Taken out meanwhile: a stream that finds its peer gone calls whoever watches it, who may close it.
        var leaving: [UInt8] = []
        swap(&leaving, &unsent)
        let count = leaving.withUnsafeBytes { sendAll($0) }
        if count == leaving.count || sendFailure != nil {
            wipe(&leaving, first: leaving.count)
        } else {
            leaving.removeFirst(count)
            swap(&leaving, &unsent)
        }
    }

    /// Sends `bytes` as far as the kernel takes them; answers how many. Nobody waits for this call, so its failure is kept for
    /// whoever waits next.
    private func sendAll(_ bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        guard sendFailure == nil else { return count }
        do throws(IOError) {
            while count < bytes.count {
                switch try sendNow(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count))) {
                case .bytes(let sent): count += sent
                case .wait: return count
                }
            }
        } catch {
            resume()
        }
        return count
    }
}
