import CLibevent
import Glibc

extension Socket {
    /// Writes what fits of two buffers by one system call, after all queued output. Throws `connectionLost` if the peer is gone.
    public func send(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(IOError) -> Sent {
        try checkInterruption()
        if sendBuffer.hasQueued { loop.flush() }
        if sendBuffer.isBehind { sendUnsent() }
        if let failure = sendBuffer.failure { throw failure }
        guard !sendBuffer.isBehind else {
            readiness.exhaust(.write)
            return .wait(.write)
        }
        return try sendNow(first, second)
    }

    /// As `send`, but ahead of queued output.
    func sendNow(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(IOError) -> Sent {
        do throws(IOError) {
            let sent = if let session { try session.write(first, second) } else { try sendPlain(first, second) }
            recordOperation()
            switch sent {
            case .bytes(let count): sendBuffer.sent(count)
            case .wait(let interest): readiness.exhaust(interest)
            }
            return sent
        } catch {
            sendBuffer.fail(error)
            readiness.sendFailed()
            throw error
        }
    }

    private func sendPlain(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) throws(IOError) -> Sent {
        while true {
            let count = cloakroom_send(descriptor, first.baseAddress, first.count, second.baseAddress, second.count)
            if count >= 0 {
                readiness.confirmPresumption()
                return .bytes(count)
            }
            switch CInt(-count) {
            case EINTR: continue
            case EAGAIN: return .wait(.write)
            default: throw .connectionLost
            }
        }
    }

    /// Writes from byte `offset` of the two arrays taken as one; no pointer leaves the call.
    public func send(_ first: [UInt8], _ second: [UInt8], from offset: Int) throws(IOError) -> Sent {
        try first.span.withUnsafeBytes { (first) throws(IOError) in
            try second.span.withUnsafeBytes { (second) throws(IOError) in
                let head = UnsafeRawBufferPointer(rebasing: first.dropFirst(offset))
                let tail = UnsafeRawBufferPointer(rebasing: second.dropFirst(max(0, offset - first.count)))
                return try head.isEmpty ? send(tail) : send(head, tail)
            }
        }
    }

    /// Writes both arrays completely, waiting for room as often as needed (this is the back-pressure).
    public func write(_ first: [UInt8], _ second: [UInt8] = []) async throws(IOError) {
        var offset = 0
        let total = first.count + second.count
        while offset < total {
            switch try send(first, second, from: offset) {
            case .bytes(let count):
                offset += count
                if hasUsedShare { await loop.nextIteration() }
            case .wait(let interest): try await wait(for: interest)
            }
        }
    }

    /// As `write`, but instead of the socket's deadline each period of `period` milliseconds in which the peer takes too little
    /// ends it with `timedOut`: after one to two periods without progress. The deadline is removed in the end.
    public func write(_ first: [UInt8], _ second: [UInt8] = [], stallPeriod period: Int64) async throws(IOError) {
        deadline = nil
        var offset = 0
        let total = first.count + second.count
        while offset < total {
            switch try send(first, second, from: offset) {
            case .bytes(let count):
                offset += count
                if hasUsedShare { await loop.nextIteration() }
            case .wait:
                try await untilTaken(stallPeriod: period) { () async throws(IOError) in
                    while true {
                        switch try send(first, second, from: offset) {
                        case .bytes(let count): offset += count
                        case .wait(let interest): try await wait(for: interest)
                        }
                        if offset == total { return }
                        if hasUsedShare { await loop.nextIteration() }
                    }
                }
            }
        }
    }

    /// As `finishSending`, with the time limit of `write(_:_:stallPeriod:)`.
    public func finishSending(stallPeriod period: Int64) async throws(IOError) {
        deadline = nil
        if sendBuffer.hasQueued { loop.flush() }
        guard sendBuffer.isBehind else { return try await finishSending() }
        try await untilTaken(stallPeriod: period) { () async throws(IOError) in try await finishSending() }
    }

    /// As `endWriting`, with the time limit of `write(_:_:stallPeriod:)`.
    public func endWriting(stallPeriod period: Int64) async throws(IOError) {
        try await untilTaken(stallPeriod: period) { () async throws(IOError) in try await endWriting() }
    }

    /// Runs `attempt` with a deadline of one period, and again after each period in which the peer took enough.
    private func untilTaken(
        stallPeriod period: Int64, _ attempt: () async throws(IOError) -> Void
    ) async throws(IOError) {
        var detector = StallDetector(taken: takenCount)
        while true {
            deadline = .now.advanced(byMilliseconds: period)
            do throws(IOError) {
                try await attempt()
                deadline = nil
                return
            } catch {
                guard error == .timedOut, detector.mayContinue(taken: takenCount) else { throw error }
            }
        }
    }

    /// How many bytes the peer's kernel has taken. Under TLS the bytes that it has not acknowledged include TLS's own.
    public var takenCount: Int { max(0, sentCount &- Int(isClosed ? 0 : cloakroom_unacknowledged(descriptor))) }

    /// Tells the peer that nothing more will be written, and keeps reading possible: sends all buffered output, under TLS
    /// `close_notify`, and ends the direction. Waits for room as often as needed. If it throws, the peer cannot know whether
    /// it has everything.
    public func endWriting() async throws(IOError) {
        try await finishSending()
        while let interest = try session?.sendCloseNotify() ?? nil {
            readiness.exhaust(interest)
            try await wait(for: interest)
        }
        _ = shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Closes so that the peer cannot mistake it for a proper end: with a reset, and under TLS without `close_notify`.
    public func reset() {
        guard !isClosed else { return }
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Ends a connection whose peer may still be sending, so that the peer can read the last response: closing at once would
    /// reset it (RFC 9112 section 9.6). Sends buffered output, reads and discards up to `bytes` and for at most `duration`.
    public func closeLingering(for duration: Duration, discarding bytes: Int) async {
        defer { close() }
        deadline = .now + duration
        var left = bytes
        do {
            try await endWriting()
            while left > 0 {
                switch try discard() {
                case .bytes(let count):
                    left -= count
                    if hasUsedShare { await loop.nextIteration() }
                case .end: return
                case .wait(let interest): try await wait(for: interest)
                }
            }
        } catch { return }
    }

    /// Not inlined: the buffer would become part of the async frame, for as long as the connection lingers.
    @inline(never)
    private func discard() throws(IOError) -> Received {
        try withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { (buffer) throws(IOError) in
            try receive(into: buffer)
        }
    }
}
