import EventIO
import HTTPWire

/// Why an exchange failed, and whether another attempt may be made.
struct ExchangeFailure: Error {
    let error: ClientError
    /// The connection closed before a byte of a response came.
    let closedBeforeResponse: Bool
    /// At least one byte of the request was handed to the kernel.
    let hasWritten: Bool
}

/// One request and its response on one connection.
///
/// `@unchecked Sendable` is sound because the loop's thread alone touches it.
final class Exchange: @unchecked Sendable {
    /// The most that one read takes of a streamed body: the memory that a slow client makes us use. Requests up to this size are
    /// sent at the end of the loop's iteration, larger ones at once.
    private static let pieceBytes = 16_384
    /// Bodies up to this size are buffered even if the loop's budget is exceeded.
    static let alwaysBuffered = 32_768

    let connection: PooledConnection
    private let client: ClientLoop
    private let request: OutgoingRequest
    /// Unchecked: a value without I/O, whose methods call no other code.
    @exclusivity(unchecked) private var reader: ResponseReader
    /// The connection's count of sent bytes at the start.
    private let sentBefore: Int
    private var isStreamed = false
    private var charge: ByteCharge

    private var socket: Socket { connection.socket }

    init(_ request: OutgoingRequest, on connection: PooledConnection, client: ClientLoop) {
        self.request = request
        self.connection = connection
        self.client = client
        sentBefore = connection.socket.sentCount
        reader = ResponseReader(for: request.method, limits: client.limits)
        charge =
            request.buffering.isHeld
            ? ByteCharge(to: client.completeBudget, for: request.caller) : ByteCharge(to: client.budget)
    }

    private var buffering: ResponseBuffering { request.buffering }
    private var deadline: MonotonicTime { request.deadline }

    /// Whether the request is queued until the end of the loop's iteration.
    private var isQueued: Bool { request.bytes.count <= Exchange.pieceBytes }

    /// How many bytes of the request the kernel has taken.
    private var written: Int { socket.sentCount &- sentBefore }

    /// The response's head, once it is complete.
    var head: ResponseHead? { reader.head }

    /// The length of the body, if the head states it.
    var announcedLength: Int? { reader.announcedLength }

    /// Whether the body has been read to its end.
    var isComplete: Bool { reader.isComplete }

    /// Whether another exchange may follow on the connection.
    var isReusable: Bool { reader.isReusable && written == request.bytes.count }

    /// Returns the part of the body that has come and has not been taken yet, or the first `limit` bytes of it. What is left stays charged:
    /// its reader may be slow.
    func takeBody(atMost limit: Int = .max) -> [UInt8] {
        defer { if !charge.isEmpty { charge.set(reader.heldBytes) } }
        return reader.takeBody(atMost: limit)
    }

    /// Reserves room for the body. Returns false if the caller has none.
    func reserve(_ count: Int) -> Bool { charge.grow(to: count) }

    /// How many bytes of the body have come and have not been taken.
    var bufferedBytes: Int { reader.bufferedBytes }

    /// Sends the request, and receives the response: all of it or, if its body is to be streamed, its head and a part of the body. A
    /// response may come before the whole request has been sent; it ends the sending.
    func run() async throws(ExchangeFailure) {
        socket.deadline = request.firstByteDeadline()
        let interest = try begin() ?? .read
        // A read now would find nothing.
        try await wait(for: interest.union(.read))
        var bufferedUntil: MonotonicTime?
        while try await advance(streamingFrom: bufferedUntil) {
            if let bufferedUntil, MonotonicTime.now >= bufferedUntil { return stream() }
            if try isToBeStreamed() { return stream() }
            guard bufferedUntil == nil, let time = buffering.time, let head = reader.head, announcedLength == nil else {
                continue
            }
            if head.headers.areOfEventStream { return stream() }
            let end = MonotonicTime.now + time
            (bufferedUntil, socket.deadline) = (end, min(end, deadline))
        }
    }

    /// Reads the rest of the body in pieces, as its reader takes them.
    private func stream() {
        isStreamed = true
        socket.deadline = deadline
    }

    /// As ``advance()``, but returns true as well if nothing comes until `end`, which is before the deadline of the exchange.
    private func advance(streamingFrom end: MonotonicTime?) async throws(ExchangeFailure) -> Bool {
        do throws(ExchangeFailure) { return try await advance() } catch {
            guard error.error == .timedOut, end != nil, MonotonicTime.now < deadline else { throw error }
            return true
        }
    }

    /// Whether the body is too long to be buffered, or has no room. With a body of announced length the only thing that can still go wrong
    /// is that it ends early. Others may turn out to be malformed or endless, and an error response is better than half a body.
    private func isToBeStreamed() throws(ExchangeFailure) -> Bool {
        let (count, length) = (reader.bufferedBytes, reader.announcedLength)
        if buffering.isExceeded(by: count, of: length) { return true }
        guard buffering.isHeld else {
            charge.set(count)
            return charge.isBeyondBudget && count > Exchange.alwaysBuffered
        }
        if charge.grow(to: max(count, length ?? 0)) { return false }
        if buffering == .whole { throw failure(.noRoom(status: reader.head?.status)) }
        return true
    }

    /// Moves the charge for a large body to its next owner.
    func moveCharge() -> BufferedBytes? {
        guard reader.bufferedBytes > Exchange.alwaysBuffered else { return nil }
        charge.set(reader.bufferedBytes)
        return BufferedBytes(charge.moveOut())
    }

    /// Ends the charge: the body has another owner, or is not needed any more.
    func stopCharging() { charge.set(0) }

    /// Receives more of the body. If the deadline has passed before, the time was used by the reader.
    func readMore() async throws(ExchangeFailure) {
        if MonotonicTime.now >= deadline { throw failure(.readerTooSlow) }
        _ = try await advance()
    }

    /// Writes and reads once, waiting if there was nothing to read. Returns false when the response is complete.
    private func advance() async throws(ExchangeFailure) -> Bool {
        let wantsRoom = try write()
        if let wantsBytes = try read() {
            if reader.isComplete { return false }
            try await wait(for: wantsBytes.union(wantsRoom ?? []))
        } else if socket.hasUsedShare {
            await client.loop.nextIteration()
        }
        return !reader.isComplete
    }

    private func wait(for interest: Interest) async throws(ExchangeFailure) {
        do throws(IOError) { try await socket.wait(for: interest) } catch { throw failure(error) }
    }

    /// Queues a small request, and writes as much as fits of a large one. Returns what to wait for if some of it is left.
    private func begin() throws(ExchangeFailure) -> Interest? {
        guard isQueued else { return try write() }
        socket.enqueue(request.bytes)
        return nil
    }

    /// Writes as much as fits. Returns what to wait for if some of it is left.
    private func write() throws(ExchangeFailure) -> Interest? {
        // A peer that has closed may have responded before: its bytes are read first.
        while !isQueued, !socket.hasLostPeer, written < request.bytes.count {
            do throws(IOError) {
                if case .wait(let interest) = try socket.send(request.bytes, [], from: written) { return interest }
            } catch {
                guard error == .connectionLost else { throw failure(error) }
            }
        }
        return nil
    }

    /// Reads once, into the buffer that all connections of the loop share: nothing suspends between the read and its use, and
    /// the bytes are wiped before other code runs. Returns what to wait for if there was nothing.
    private func read() throws(ExchangeFailure) -> Interest? {
        var buffer: [UInt8] = []
        swap(&buffer, &client.buffer)
        defer { swap(&buffer, &client.buffer) }
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: ClientLoop.bufferBytes) }
        let received: Received
        do throws(IOError) {
            received = try socket.receive(into: &buffer, atMost: isStreamed ? Exchange.pieceBytes : .max)
        } catch {
            throw failure(error)
        }
        do throws(WireError) {
            switch received {
            case .bytes(let count):
                defer { wipe(&buffer, first: count) }
                if !reader.hasBegun { socket.deadline = deadline }
                try reader.receive(buffer.span.extracting(0..<count))
                return nil
            case .end:
                guard reader.hasBegun else { throw .truncated }
                try reader.finish()
                return nil
            case .wait(let interest): return interest
            }
        } catch { throw failure(ClientError(error)) }
    }

    private func failure(_ error: IOError) -> ExchangeFailure {
        failure(error == .timedOut ? timeOut : ClientError(exchanging: error))
    }

    /// What has taken too long. A body whose reader has got some of it may come as slowly as it likes, and events come when something
    /// happens: only that a body which is held has stopped coming is a fault of its sender.
    private var timeOut: ClientError {
        guard let head = reader.head, MonotonicTime.now >= deadline else { return .timedOut }
        let isComing =
            isStreamed || head.headers.areOfEventStream || socket.millisecondsSinceLastBytes <= request.patience
        return isComing ? .bodyTimedOut : .timedOut
    }

    private func failure(_ error: ClientError) -> ExchangeFailure {
        var error = error
        // The caller may have to know what the upstream has done.
        if case .responseTooLarge = error { error = .responseTooLarge(status: reader.head?.status) }
        return ExchangeFailure(
            error: error, closedBeforeResponse: error == .networkConnectionLost && !reader.hasBegun,
            hasWritten: written > 0)
    }
}

extension Headers {
    /// Whether each part of the body is for its reader at once (HTML, section 9.2.5).
    fileprivate var areOfEventStream: Bool {
        guard let type = self[.contentType]?.prefix(while: { $0 != ";" && $0 != " " }) else { return false }
        return type.lowercased() == "text/event-stream"
    }
}
