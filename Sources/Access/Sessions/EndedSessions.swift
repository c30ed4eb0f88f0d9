import Synchronization

/// The early end of a session (`DELETE /v1/sessions/current`), for the store to record durably.
public struct SessionEnding: Sendable, Equatable {
    /// Seconds that uses and endings are kept beyond the end of their session: were they forgotten at once, a clock
    /// that is set back would let an ended session in again.
    static let margin: Int64 = 3_600

    /// Which session was ended.
    public let id: SessionID
    /// ``SessionClaims/owner``; limits what one can have recorded. Nil if it is unknown.
    public let owner: String?
    /// Unix seconds at which the row may be deleted.
    public let forgottenAt: Int64

    /// The end of a session before its time.
    public init(of session: SessionClaims) {
        self.init(id: session.id, owner: session.owner, forgottenAt: session.expiresAt + Self.margin)
    }

    /// An ending whose row was changed, so that only the session's id is known. It takes no room, and is kept for longer than any session
    /// lasts.
    ///
    /// - Parameter now: Unix seconds.
    public init(damaged id: SessionID, at now: Int64) {
        self.init(id: id, owner: nil, forgottenAt: now + SessionClaims.Limit.lifetime + Self.margin)
    }

    /// An ending as the store kept it.
    public init(id: SessionID, owner: String?, forgottenAt: Int64) {
        self.id = id
        self.owner = owner
        self.forgottenAt = forgottenAt
    }
}

/// The sessions that were ended early, as far as this process knows.
///
/// The store is the record: an ending is inserted there, durably, before the caller gets its response, and then added
/// here. Processes of a shared vault read the store's new endings every ``interval`` and ``merge(_:at:)`` them, so
/// that an ending holds everywhere within a second without a look at the store for each request. The vault's readings
/// overlap, so that an ending may be merged twice, which does no harm. A process that could not read
/// for ``staleAfter`` no longer knows which sessions have ended, and refuses sessions as unavailable. With a vault of
/// its own a process reads once, at its start, and then passes ``EndedSessions/neverStale``.
///
/// Memory is bounded: ``maximum`` endings, and half of them for one owner. Beyond that an ending is refused
/// (503), not forgotten. Those whose rows are damaged come on top.
public final class EndedSessions: Sendable {
    /// Milliseconds between two readings of a shared store.
    public static let interval: Int64 = 500
    /// Milliseconds without a reading after which endings are unknown.
    public static let staleAfter: Int64 = 10_000
    /// The time of a reading that need not be repeated.
    public static let neverStale: Int64 = .max
    /// Endings that are kept.
    public static let maximum = 100_000

    /// What is known of a session.
    public enum Status: Sendable {
        case current, ended
        /// The store has not been read for too long.
        case unknown
    }

    private struct State {
        var forgottenAt: [SessionID: Int64] = [:]
        var counts: [String: Int] = [:]
        var owners: [SessionID: String] = [:]
        var readAt: Int64?
        var sweptAt: Int64?
    }

    private let state = Mutex(State())
    private let maximum: Int

    /// None is known to be ended.
    public init() {
        maximum = Self.maximum
    }

    /// With other bounds, for tests.
    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Whether a session has been ended.
    ///
    /// - Parameter monotonic: milliseconds of a clock that is never set back, as in ``merge(_:at:)``.
    public func status(of id: SessionID, at monotonic: Int64) -> Status {
        state.withLock { state in
            if state.forgottenAt[id] != nil { return .ended }
            guard let readAt = state.readAt else { return .unknown }
            return monotonic < readAt || monotonic - readAt <= Self.staleAfter ? .current : .unknown
        }
    }

    /// Whether there is room for one more ending of the owner's sessions. Ask before the store is written.
    public func hasRoom(for owner: String) -> Bool {
        state.withLock { state in
            state.owners.count < maximum && state.counts[owner, default: 0] < max(maximum / 2, 1)
        }
    }

    /// Takes endings that the store has recorded, and returns how many were new. Never refuses any: what the store
    /// has is true.
    ///
    /// - Parameter readAt: monotonic milliseconds before the store was read; nil for an ending that this process
    ///   recorded itself.
    @discardableResult
    public func merge(_ endings: [SessionEnding], at readAt: Int64?) -> Int {
        state.withLock { state in
            var added = 0
            for ending in endings where state.forgottenAt.updateValue(ending.forgottenAt, forKey: ending.id) == nil {
                added += 1
                guard let owner = ending.owner else { continue }
                state.owners[ending.id] = owner
                state.counts[owner, default: 0] += 1
            }
            if let readAt { state.readAt = max(readAt, state.readAt ?? readAt) }
            return added
        }
    }

    /// Forgets endings of sessions that have expired anyway. Looks through all of them, once a minute.
    ///
    /// - Parameter now: Unix seconds.
    public func sweep(at now: Int64) {
        state.withLock { state in
            if let sweptAt = state.sweptAt, now >= sweptAt, now - sweptAt < 60 { return }
            state.sweptAt = now
            for (id, _) in state.forgottenAt.filter({ $0.value <= now }) {
                state.forgottenAt[id] = nil
                guard let owner = state.owners.removeValue(forKey: id) else { continue }
                let rest = state.counts[owner, default: 1] - 1
                state.counts[owner] = rest > 0 ? rest : nil
            }
        }
    }

    /// How many endings are kept: a gauge.
    public var count: Int { state.withLock { $0.forgottenAt.count } }
}
