import EventIO

/// The body of a response that is streamed piece by piece. A piece is read only when the reader asks for it, so that a slow
/// reader slows the sender down.
///
/// `@unchecked Sendable` is sound because one task uses it, on the loop that it came from; `deinit` hops there.
public final class IncomingBody: @unchecked Sendable {
    /// The length of the body, if the head states it and no filter may change it.
    public var length: Int? { keepsLength ? announcedLength : nil }
    private let announcedLength: Int?
    /// Changes the body on its way: it gets each piece as it comes, and an empty one at the end, and returns what takes its place; nil
    /// to break the body off.
    public typealias Filter = (_ piece: [UInt8], _ isLast: Bool) -> [UInt8]?
    private var filter: Filter?
    /// Bytes that a filter gets at once. A slow one takes a tenth of a millisecond for a KiB, and the loop has other connections.
    private static let filteredBytes = 16_384
    /// Bytes that a reader gets at once. It may be slow, and a piece is not charged to the loop's budget any more, as what is left is.
    private static let pieceBytes = 65_536
    /// Whether there are bytes that were left for the loop's next iteration.
    private var leavesBytes = false
    private var keepsLength = true
    private var isFiltered = false
    private let exchange: Exchange
    /// Present until the connection is released.
    private var lease: PoolLease?
    private var pace = ReaderPace()
    /// Why it was ended for its reader; nil if it was not.
    private var endedBy: ClientError?
    /// Called once when the connection is not needed any more, for any reason.
    public var onConnectionReleased: (@Sendable () -> Void)?
    /// Called once, when the body is complete, or with the error that ended it. Not when the reader abandons it, or what is
    /// done to it on its way breaks it off.
    public var onCompletion: ((ClientError?) -> Void)?

    private var isOpen: Bool {
        switch lease {
        case .some: true
        case .none: false
        }
    }

    /// Takes over the exchange's connection and its lease.
    init(_ exchange: Exchange, _ lease: consuming PoolLease) {
        self.exchange = exchange
        announcedLength = exchange.announcedLength
        let pool = lease.pool
        self.lease = .some(lease)
        pool.add(self)
    }

    deinit {
        guard isOpen else { return }
        onConnectionReleased?()
        let (socket, id) = (exchange.connection.socket, ObjectIdentifier(self))
        guard let pool = lease?.pool else { return }
        if socket.loop.isCurrent {
            socket.abandon()
            pool.removeStream(id)
        } else {
            socket.loop.execute {
                socket.abandon()
                pool.removeStream(id)
            }
        }
    }

    /// Adds a filter behind those that are there, before the first piece is read.
    ///
    /// - Parameter keepsLength: whether the filter returns as many bytes as it gets, over the whole body.
    public func addFilter(keepsLength: Bool = false, _ added: @escaping Filter) {
        self.keepsLength = self.keepsLength && keepsLength
        guard let first = filter else {
            filter = added
            return
        }
        filter = { piece, isLast in first(piece, isLast).flatMap { added($0, isLast) } }
    }

    /// Returns the next bytes; none at the end. Throws when the sender ends early, violates HTTP, or takes too long, or when a filter
    /// ends the body.
    public func next() async throws(ClientError) -> [UInt8] {
        guard let filter else { return try await nextPiece() }
        // A filter may hold back all of a piece: an empty result is not the end.
        while !isFiltered {
            let piece = try await nextPiece()
            isFiltered = piece.isEmpty
            guard let filtered = filter(piece, piece.isEmpty) else {
                abandon()
                isFiltered = true
                throw .badServerResponse
            }
            if !filtered.isEmpty { return filtered }
        }
        return []
    }

    private func nextPiece() async throws(ClientError) -> [UInt8] {
        pace.finish(at: .now)
        if leavesBytes { await exchange.connection.socket.loop.nextIteration() }
        if let endedBy { throw endedBy }
        guard isOpen else { return [] }
        let limit = filter == nil ? Self.pieceBytes : Self.filteredBytes
        while true {
            let piece = exchange.takeBody(atMost: limit)
            leavesBytes = piece.count == limit
            if !piece.isEmpty {
                pace.take(piece.count, at: .now)
                return piece
            }
            if exchange.isComplete {
                lease?.pool.putBack(exchange.connection, isReusable: exchange.isReusable)
                release()
                onCompletion.take()?(nil)
                return []
            }
            do throws(ExchangeFailure) { try await exchange.readMore() } catch {
                abandon()
                onCompletion.take()?(error.error)
                throw endedBy ?? error.error
            }
        }
    }

    /// Closes the connection if the body has not been read to its end.
    public func abandon() {
        guard isOpen else { return }
        exchange.connection.socket.abandon()
        exchange.stopCharging()
        release()
    }

    func readerIsTooSlow(_ now: MonotonicTime) -> Bool { isOpen && pace.isTooSlow(at: now) }

    /// Ends the stream, also while its reader waits for a piece: the reader gets the error, which is none of the sender's.
    func end(_ error: ClientError) {
        guard isOpen else { return }
        endedBy = error
        abandon()
        onCompletion.take()?(error)
    }

    private func release() {
        lease?.pool.removeStream(ObjectIdentifier(self))
        lease = nil
        onConnectionReleased.take()?()
    }
}
