extension Socket {
    /// Copies `message` into the loop's output queue, behind earlier messages; it is sent at the end of the loop's iteration.
    ///
    /// If the peer is gone by then, the next wait for bytes reports it, once the bytes that the peer sent before have been read.
    public func enqueue(_ message: [UInt8]) {
        precondition(loop.isCurrent, "a socket belongs to its loop's thread")
        guard !isClosed, !message.isEmpty else { return }
        loop.enqueue(message, for: destination)
        readiness.confirmPresumption()
        sendBuffer.hasQueued = true
    }

    /// Sends the queued output of this socket and of all others of the loop now: to be used before work that takes long.
    public func flushQueue() { loop.flush() }

    /// Bytes that were to be sent and that the kernel has not taken, after another attempt to send what is queued.
    public func unsentCount() -> Int {
        if sendBuffer.hasQueued { loop.flush() }
        return sendBuffer.unsentCount
    }

    /// Whether bytes wait for room in the kernel: the peer reads slower than it is written to.
    public var isBehind: Bool { sendBuffer.isBehind }

    /// Whether sending has failed: nothing more can be sent, but bytes that the peer sent before can be read.
    public var hasLostPeer: Bool { sendBuffer.failure != nil }

    /// Waits until the kernel has taken all queued output. Throws as `wait` does, and if the peer is gone.
    public func finishSending() async throws(IOError) {
        if sendBuffer.hasQueued { loop.flush() }
        while sendBuffer.isBehind {
            readiness.exhaust(.write)
            try await wait(for: .write)
        }
        if let failure = sendBuffer.failure { throw failure }
    }

    /// Sends what the loop's output queue holds for this socket; buffers what the kernel does not take.
    func send(queued bytes: RawSpan) {
        sendBuffer.hasQueued = false
        guard !isClosed else { return }
        // The pointers do not leave the closures.
        bytes.withUnsafeBytes { bytes in
            if sendBuffer.isBehind {
                sendBuffer.append(bytes)
                return sendUnsent()
            }
            let count = sendAll(bytes)
            guard count < bytes.count, !hasLostPeer else { return }
            sendBuffer.append(bytes.dropFirst(count))
            // The task may wait for requests only: it must see that the peer is behind.
            resume()
        }
    }

    /// Sends more of the bytes that the kernel has not taken. They are moved out first, because a socket that finds its peer
    /// gone calls its watcher, which may close it.
    func sendUnsent() {
        let unsent = sendBuffer.takeUnsent()
        let count = unsent.withUnsafeBytes { sendAll($0) }
        sendBuffer.putBack(unsent, dropping: count)
    }

    /// Sends `bytes` as far as the kernel takes them, and returns how many. No caller handles an error here, so the send buffer
    /// keeps it for the next wait.
    private func sendAll(_ bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        guard !hasLostPeer else { return count }
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
