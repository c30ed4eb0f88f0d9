import EventIO

/// The body of an answer that is too large to be held, read piece by piece. Nothing is read before it is asked for: a slow
/// reader slows the sender down.
///
/// `@unchecked Sendable` is sound because one task uses it, on the loop that it came from; `deinit` hops there.
public final class IncomingBody: @unchecked Sendable {
    /// The length of the body, if the head states it and no filter may change it.
    public var length: Int? { filter == nil ? announcedLength : nil }
    private let announcedLength: Int?
    /// Changes the body on its way: it gets each piece as it comes, and an empty one at the end, and returns what takes its place; nil
    /// to break the body off.
    public typealias Filter = (_ piece: [UInt8], _ isLast: Bool) -> [UInt8]?
    private var filter: Filter?
    private var isFiltered = false
    private let exchange: Exchange
    private let connection: PooledConnection
    private let pool: ConnectionPool
    private var isOver = false {
        didSet { whenEnded.take()?() }
    }
    /// Called once when the connection is needed no more, whatever was the reason.
    public var whenEnded: (@Sendable () -> Void)?
    /// Called once, when the body has come to its end, or with why it will not. Not when the reader gives it up.
    public var whenOver: ((ClientError?) -> Void)?

    /// Takes over the connection and its place in the pool.
    init(_ exchange: Exchange, on connection: PooledConnection, of pool: ConnectionPool) {
        self.exchange = exchange
        announcedLength = exchange.announcedLength
        self.connection = connection
        self.pool = pool
    }

    deinit {
        guard !isOver else { return }
        whenEnded?()
        let (connection, pool) = (connection, pool)
        connection.stream.loop.execute { pool.discard(connection) }
    }

    /// Adds a filter behind those that are there, before the first piece is read.
    public func addFilter(_ added: @escaping Filter) {
        guard let first = filter else {
            filter = added
            return
        }
        filter = { piece, isLast in first(piece, isLast).flatMap { added($0, isLast) } }
    }

    /// The next bytes; none at the end. Throws when the sender breaks off, breaks the rules of HTTP, or takes too long, or when the
    /// filter breaks the body off.
    public func next() async throws(ClientError) -> [UInt8] {
        guard let filter else { return try await nextPiece() }
        // A piece of which everything is held back is not the end.
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
        guard !isOver else { return [] }
        while true {
            let piece = exchange.takeBody()
            if !piece.isEmpty { return piece }
            if exchange.isComplete {
                isOver = true
                pool.giveBack(connection, isReusable: exchange.isReusable)
                whenOver.take()?(nil)
                return []
            }
            do throws(Exchange.Failure) { try await exchange.readMore() } catch {
                abandon()
                whenOver.take()?(error.error)
                throw error.error
            }
        }
    }

    /// Closes the connection if the body has not been read to its end.
    public func abandon() {
        guard !isOver else { return }
        isOver = true
        pool.discard(connection)
    }
}
