/// For whom a connection is used, as far as the shares of a pool are concerned: hashes that are secret or can't be chosen.
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

/// Divides the places of a pool among callers, so that no caller can use up all of them.
///
/// A group gets another place as long as it holds fewer than are free: alone half of all, two a third each. A member gets one as long as
/// three times its own are fewer than what is left to its group: alone a fifth of all. So there is room for one more caller at any time.
struct PoolShares {
    private let capacity: Int
    private var held = 0
    private var groups: [UInt64: Int] = [:]
    private var members: [PoolCaller: Int] = [:]

    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { held == 0 }

    /// Whether another place may be given to the caller; without one, whether any is free.
    func hasRoom(for caller: PoolCaller?) -> Bool {
        let free = capacity - held
        guard free > 0, let caller else { return free > 0 }
        // Below a fifth of all no caller can hold too many.
        if held < free / 4 { return true }
        let room = free - (groups[caller.group] ?? 0)
        guard room > 0, caller.member != nil else { return room > 0 }
        return (members[caller] ?? 0) * 3 < room
    }

    mutating func add(_ caller: PoolCaller?) {
        held += 1
        guard let caller else { return }
        groups[caller.group, default: 0] += 1
        if caller.member != nil { members[caller, default: 0] += 1 }
    }

    mutating func remove(_ caller: PoolCaller?) {
        held -= 1
        guard let caller else { return }
        Self.decrement(&groups, caller.group)
        if caller.member != nil { Self.decrement(&members, caller) }
    }

    private static func decrement<Key>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key], count > 1 else {
            counts[key] = nil
            return
        }
        counts[key] = count - 1
    }
}
