/// When a thread tries a server again that it could not reach. Requests fail at once until then.
struct PostgresRest {
    private static let shortest = Duration.seconds(1)

    let contact: PostgresContact
    /// Whether the thread is one of those that write.
    let isWriter: Bool
    private var failure: (began: ContinuousClock.Instant, end: ContinuousClock.Instant)?

    /// - Parameters:
    ///   - contact: what all threads know of the server.
    ///   - writing: whether the thread is one of those that write.
    init(_ contact: PostgresContact, writing: Bool = false) {
        self.contact = contact
        isWriter = writing
    }

    /// Whether a connection may be tried: after a second, or as long as the last attempt took; and at once where another thread has made one
    /// since that attempt began.
    func isOver(at now: ContinuousClock.Instant) -> Bool {
        guard let failure else { return true }
        return now >= failure.end || contact.isLater(than: failure.began)
    }

    /// Waits until a connection may be tried again, or no other thread of its kind has one.
    func wait() {
        let now = ContinuousClock.now
        let rest = isOver(at: now) ? nil : failure
        contact.wait(until: rest?.end ?? now + Self.shortest, since: rest?.began ?? now, writing: isWriter)
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
