import Fairness

/// For whom a connection or the room of a budget is used, as far as their shares are concerned: hashes that are secret or can't be chosen.
public struct PoolCaller: Hashable, Sendable {
    /// Of all that together have one share: the public, or one credential.
    public let group: UInt64
    /// Of one within the group; nil if the group is one caller.
    public let member: UInt64?

    /// A caller within its group, by hashes of their names; nil if the group is one caller.
    public init(group: UInt64, member: UInt64?) {
        self.group = group
        self.member = member
    }
}

/// Divides the places of a pool, or the bytes of a budget, among callers by ``FairShare``.
struct PoolShares {
    var capacity: Int
    private(set) var held = 0
    private var groups: [UInt64: Int] = [:]
    private var members: [PoolCaller: Int] = [:]

    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { held == 0 }

    /// Whether so many more may be given to the caller; without one, whether they are free.
    func hasRoom(for caller: PoolCaller?, adding count: Int = 1) -> Bool {
        let free = capacity - held
        guard free >= count, let caller else { return free >= count }
        // Below a fifth of all no caller can hold too many.
        let more = count - 1
        if held + more < (free - more) / 4 { return true }
        let share = FairShare(free: free, group: groups[caller.group] ?? 0, asked: count)
        guard share.room > 0, caller.member != nil else { return share.room > 0 }
        return share.admits(member: members[caller] ?? 0)
    }

    mutating func add(_ caller: PoolCaller?, _ count: Int = 1) {
        held += count
        guard let caller else { return }
        groups[caller.group, default: 0] += count
        if caller.member != nil { members[caller, default: 0] += count }
    }

    mutating func remove(_ caller: PoolCaller?, _ count: Int = 1) {
        held -= count
        guard let caller else { return }
        Self.decrement(&groups, caller.group, by: count)
        if caller.member != nil { Self.decrement(&members, caller, by: count) }
    }

    private static func decrement<Key>(_ counts: inout [Key: Int], _ key: Key, by count: Int) {
        guard let before = counts[key], before > count else {
            counts[key] = nil
            return
        }
        counts[key] = before - count
    }
}
