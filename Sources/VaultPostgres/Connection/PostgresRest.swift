import Synchronization

/// When a thread tries a server again that it could not reach. Requests fail at once until then.
struct PostgresRest {
    private static let shortest = Duration.seconds(1)

    private let contact: PostgresContact
    private var failure: (began: ContinuousClock.Instant, end: ContinuousClock.Instant)?

    /// - Parameter contact: what all threads know of the server.
    init(_ contact: PostgresContact) { self.contact = contact }

    /// Whether a connection may be tried: after a second, or as long as the last attempt took; and at once where another thread has made one
    /// since that attempt began.
    func isOver(at now: ContinuousClock.Instant) -> Bool {
        guard let failure else { return true }
        return now >= failure.end || contact.isLater(than: failure.began)
    }

    /// A connection was made.
    mutating func noteSuccess(at now: ContinuousClock.Instant = .now) {
        failure = nil
        contact.note(now)
    }

    /// A connection that was tried from `began` on could not be made.
    mutating func noteFailure(since began: ContinuousClock.Instant, at now: ContinuousClock.Instant = .now) {
        failure = (began, now + max(Self.shortest, now - began))
    }
}

/// When a connection was last made, by any of the threads that share it: then the server is back for all.
final class PostgresContact: Sendable {
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    func note(_ now: ContinuousClock.Instant) { last.withLock { $0 = max($0 ?? now, now) } }

    func isLater(than time: ContinuousClock.Instant) -> Bool { last.withLock { $0.map { $0 >= time } ?? false } }
}
