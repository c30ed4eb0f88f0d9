import EventIO
import HTTPWire

/// One request and its answer on one connection.
///
/// `@unchecked Sendable` is sound because the loop's thread alone touches it.
final class Exchange: @unchecked Sendable {
    /// Why it failed, and whether another attempt may be made for it.
    struct Failure: Error {
        let error: ClientError
        /// The connection closed before a byte of an answer came.
        let closedBeforeAnswer: Bool
        /// At least one byte of the request was handed to the kernel.
        let hasWritten: Bool
    }

    /// The most that one read takes of a body that is passed on while it arrives: so much a slow client makes us hold. Requests
    /// up to this size are posted, larger ones are written at once.
    private static let pieceBytes = 16_384
    /// So much of a body is held even if there is no room on the loop.
    private static let heldAnyway = 32_768

    private let stream: EventIO.Stream
    private let home: ClientLoop
    private let deadline: MonotonicTime
    private let request: [UInt8]
    /// Unchecked: a value without I/O, which calls nobody.
    @exclusivity(unchecked) private var reader: ResponseReader
    /// What the connection had sent before.
    private let sentBefore: Int
    private var interest = Interest.read
    private var readLimit = Int.max
    /// What of the loop's held bytes is ours.
    private var held = 0

    /// `deadline` is that of the whole exchange.
    init(
        _ request: [UInt8], answering method: Method, on stream: EventIO.Stream, home: ClientLoop,
        deadline: MonotonicTime
    ) {
        self.request = request
        self.stream = stream
        self.home = home
        self.deadline = deadline
        sentBefore = stream.sentCount
        reader = ResponseReader(answering: method, limits: home.limits)
    }

    /// Whether the request is left to the end of the loop's turn, and not written here.
    private var isPosted: Bool { request.count <= Exchange.pieceBytes }

    /// Bytes of the request that the kernel has taken.
    private var written: Int { stream.sentCount &- sentBefore }

    /// The answer's head, once it is there.
    var head: ResponseHead? { reader.head }

    /// How many bytes the body will have, if the head says so.
    var announcedLength: Int? { reader.announcedLength }

    /// Whether the body has been read to its end.
    var isComplete: Bool { reader.isComplete }

    /// Whether another exchange may follow on the connection.
    var isReusable: Bool { reader.isReusable && written == request.count }

    /// What has come of the body and has not been taken.
    func takeBody() -> [UInt8] { reader.takeBody() }

    /// Sends the request, and receives the answer: the whole of it, or, if its body is longer than `threshold`, its head and
    /// what has come. An answer may come before the request has been taken wholly; it ends the sending.
    func run(awaitingFirstByteBy first: MonotonicTime, holdingAtMost threshold: Int) async throws(Failure) {
        stream.deadline = min(first, deadline)
        interest = try begin() ?? .read
        // Nothing can have come yet: asking the kernel first would be in vain.
        try await wait(for: interest.union(.read))
        while try await advance() {
            if isTooLongToHold(threshold) {
                readLimit = Exchange.pieceBytes
                return
            }
        }
    }

    /// Whether the rest of the body is to be passed on as it comes. One of announced length is, if that is above the
    /// threshold: nothing but its breaking off can go wrong any more. Others are held as long as there is room for them on the
    /// loop: of one that may still turn out to be malformed, or to have no end, there is then something better to answer than half.
    ///
    /// - Parameter threshold: `.max` for a body that is needed to its end.
    private func isTooLongToHold(_ threshold: Int) -> Bool {
        if let length = reader.announcedLength, length > threshold { return true }
        home.heldBytes += reader.heldBytes - held
        held = reader.heldBytes
        return threshold < .max && held > Exchange.heldAnyway && home.heldBytes > home.limits.heldBytes
    }

    /// Goes on counting a large body that is whole, for those who hold it from now on.
    func heldBytes() -> HeldBytes? {
        let count = reader.heldBytes
        guard count > Exchange.heldAnyway else { return nil }
        home.heldBytes += count - held
        held = 0
        return HeldBytes(count, on: home)
    }

    /// The body is whole, or no more is held of it than has been.
    func stopHolding() {
        home.heldBytes -= held
        held = 0
    }

    /// Receives more of the body. If the time is over before that begins, it was the reader who took it.
    func readMore() async throws(Failure) {
        if MonotonicTime.now >= deadline { throw failure(.readerTooSlow) }
        _ = try await advance()
    }

    /// Writes and reads once, waiting if there was nothing; false when the answer is whole.
    private func advance() async throws(Failure) -> Bool {
        let wantsRoom = try write()
        if let wantsBytes = try read() {
            if reader.isComplete { return false }
            try await wait(for: wantsBytes.union(wantsRoom ?? []))
        }
        return !reader.isComplete
    }

    private func wait(for interest: Interest) async throws(Failure) {
        do throws(IOError) { try await stream.wait(for: interest) } catch { throw failure(error) }
    }

    /// A small request is sent when the loop's turn ends, a large one as far as it goes at once; what to wait for if something of
    /// it is left.
    private func begin() throws(Failure) -> Interest? {
        guard isPosted else { return try write() }
        stream.post(request)
        return nil
    }

    /// Writes what fits; what to wait for if something is left.
    private func write() throws(Failure) -> Interest? {
        // A peer that hangs up may have answered before: what it sent is read first.
        while !isPosted, !stream.hasLostPeer, written < request.count {
            do throws(IOError) {
                if case .wait(let interest) = try stream.send(request, [], from: written) { return interest }
            } catch {
                guard error == .connectionLost else { throw failure(error) }
            }
        }
        return nil
    }

    /// Reads once, into the buffer that all connections of the loop share: nothing suspends between the read and its use, and
    /// the bytes are wiped before anything else runs. Answers what to wait for if there was nothing.
    private func read() throws(Failure) -> Interest? {
        var buffer: [UInt8] = []
        swap(&buffer, &home.buffer)
        defer { swap(&buffer, &home.buffer) }
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: ClientLoop.bufferBytes) }
        let received: Received
        do throws(IOError) { received = try stream.receive(into: &buffer, atMost: readLimit) } catch {
            throw failure(error)
        }
        do throws(WireError) {
            switch received {
            case .bytes(let count):
                defer { wipe(&buffer, first: count) }
                if !reader.hasBegun { stream.deadline = deadline }
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

    private func failure(_ error: IOError) -> Failure { failure(ClientError(exchanging: error)) }

    private func failure(_ error: ClientError) -> Failure {
        Failure(
            error: error, closedBeforeAnswer: error == .networkConnectionLost && !reader.hasBegun,
            hasWritten: written > 0)
    }
}
