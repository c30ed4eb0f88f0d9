import Fairness
import Synchronization

/// Divides places that all callers share, such as those of VOLATILE values, by ``FairShare``.
///
/// Where several processes share the places, each knows only who holds its own. What is held in all counts as used, and what others hold
/// counts for the public as its own: so strangers get half of all at most, through however many processes they come.
public final class Shares: Sendable {
    /// Who holds a place.
    public struct Holder: Hashable, Sendable {
        enum Group: Hashable, Sendable {
            case `public`
            case credential(String)
            case issuer(String)
        }

        let group: Group
        /// Nil for the credential itself.
        let member: CallerKey?

        /// The whole group.
        public var whole: Holder { Holder(group: group, member: nil) }
        /// Whether it is a stranger, or all of them.
        public var isOfPublic: Bool { group == .public }
        /// Whether it is one of several in its group.
        public var isMember: Bool { member != nil }
        /// Whether it may have only a share of a narrow space.
        var hasShareOfSpaces: Bool { isMember || group == .public }
        /// The same for all of the group, under a seed of the process.
        public var groupHash: UInt64 { BoundedTable<TokenBucket>.hash(group) }
        /// The same for the same holder; nil if that is the group itself.
        public var memberHash: UInt64? { member.map { BoundedTable<TokenBucket>.hash($0) } }
    }

    /// Whether there is room.
    public enum Outcome: Sendable, Equatable {
        case granted
        /// - Parameter retryAfter: seconds until a place of the holder, or of its group if that has too many, comes free.
        case refused(retryAfter: Int)
    }

    /// What metrics show.
    public struct Usage: Sendable, Equatable {
        /// Places in use: a gauge.
        public var used = 0
        /// All places: its bound.
        public var capacity = 0
        /// Refusals since the start: a counter.
        public var refusals = 0
    }

    private struct Holding {
        /// The places that come free within one second.
        private struct Ends {
            var count = 0
            /// The end of the last of them.
            var last: Int64
        }

        private(set) var count = 0
        private var ends: [Int64: Ends] = [:]
        /// The first second with an end; nil if that is not known, until it is asked for.
        private var first: Int64?

        mutating func add(_ more: Int, until end: Int64?) {
            count += more
            guard let end else { return }
            let second = end / 1_000
            if ends.isEmpty { first = second } else if let known = first { first = min(known, second) }
            var places = ends[second] ?? Ends(last: end)
            places.count += more
            places.last = max(places.last, end)
            ends[second] = places
        }

        mutating func remove(_ fewer: Int, until end: Int64?) {
            count -= fewer
            guard let end, var places = ends[end / 1_000] else { return }
            places.count -= fewer
            ends[end / 1_000] = places.count > 0 ? places : nil
            if places.count == 0, first == end / 1_000 { first = nil }
        }

        mutating func postpone(_ places: Int, from end: Int64, until later: Int64) {
            remove(places, until: end)
            add(places, until: later)
        }

        /// When a place comes free by itself; nil if that is not known. All seconds with an end are looked at once after the first of
        /// them has gone: they are no more than the places live.
        mutating func freeFrom() -> Int64? {
            if first == nil { first = ends.keys.min() }
            return first.flatMap { ends[$0]?.last }
        }
    }

    private struct State {
        var groups: [Holder.Group: Holding] = [:]
        var members: [Holder: Holding] = [:]
        var usage: Usage

        mutating func add(_ places: Int, for holder: Holder, until end: Int64?) {
            usage.used += places
            groups[holder.group, default: Holding()].add(places, until: end)
            if holder.member != nil { members[holder, default: Holding()].add(places, until: end) }
        }

        mutating func refuse(at now: Int64, until end: Int64?) -> Outcome {
            usage.refusals += 1
            let wait = end.map { ($0 - now + 999) / 1_000 } ?? 1
            return .refused(retryAfter: Int(min(max(wait, 1), 86_400)))
        }
    }

    private let state: Mutex<State>

    /// - Parameter capacity: all places, at least one.
    public init(capacity: Int) {
        state = Mutex(State(usage: Usage(capacity: max(capacity, 1))))
    }

    /// Takes places, all or none, which must be released by ``release(_:_:until:)`` with the same holder and end.
    ///
    /// - Parameters:
    ///   - places: how many, at least one. They are granted if they would be one after the other.
    ///   - end: when the place comes free by itself, in the clock of `now`; nil if that is not known.
    ///   - now: monotonic milliseconds.
    ///   - stored: places in use in all, by other processes too; nil if there are none.
    public func claim(
        _ places: Int = 1, for holder: Holder, until end: Int64? = nil, at now: Int64, stored: Int? = nil
    ) -> Outcome {
        state.withLock { state in
            let others = max(0, (stored ?? 0) - state.usage.used)
            let free = state.usage.capacity - state.usage.used - others
            let held = state.groups[holder.group]?.count ?? 0
            let share = FairShare(free: free, group: held + (holder.isOfPublic ? others : 0), asked: places)
            if share.room <= 0 { return state.refuse(at: now, until: state.groups[holder.group]?.freeFrom()) }
            if holder.member != nil {
                let own = state.members[holder]?.count ?? 0
                if !share.admits(member: own) { return state.refuse(at: now, until: state.members[holder]?.freeFrom()) }
            }
            state.add(places, for: holder, until: end)
            return .granted
        }
    }

    /// Takes places that the holder has already, whether there is room for them or not.
    public func add(_ places: Int, for holder: Holder) {
        state.withLock { $0.add(places, for: holder, until: nil) }
    }

    /// Whether the holder could ever have so many places at once.
    public func isPossible(_ places: Int, for holder: Holder) -> Bool {
        let share = FairShare(free: usage.capacity, group: 0, asked: places)
        return share.room > 0 && (holder.member == nil || share.admits(member: 0))
    }

    /// Changes when places come free by themselves.
    public func postpone(_ places: Int, _ holder: Holder, from end: Int64, until later: Int64) {
        state.withLock { state in
            state.groups[holder.group]?.postpone(places, from: end, until: later)
            if holder.member != nil { state.members[holder]?.postpone(places, from: end, until: later) }
        }
    }

    /// Gives places back, one unless said.
    public func release(_ holder: Holder, _ places: Int = 1, until end: Int64? = nil) {
        state.withLock { state in
            guard state.groups[holder.group] != nil else { return }
            // In their places: a copy would hold all their ends.
            state.groups[holder.group]?.remove(places, until: end)
            if state.groups[holder.group]?.count == 0 { state.groups[holder.group] = nil }
            state.usage.used -= places
            guard holder.member != nil else { return }
            state.members[holder]?.remove(places, until: end)
            if state.members[holder]?.count == 0 { state.members[holder] = nil }
        }
    }

    /// How much is taken, for metrics.
    public var usage: Usage { state.withLock { $0.usage } }
}

extension Caller {
    /// By what the caller's places are counted.
    public var holder: Shares.Holder {
        switch identity {
        case .anonymous: Shares.Holder(group: .public, member: limitKey)
        case .credential(let name): Shares.Holder(group: .credential(name), member: nil)
        case .session(let session):
            Shares.Holder(
                group: session.issuer.map { .issuer($0) } ?? .credential(session.credential),
                member: session.form == nil ? nil : limitKey)
        case .token(let subject): Shares.Holder(group: .issuer(subject.issuer), member: limitKey)
        }
    }
}
