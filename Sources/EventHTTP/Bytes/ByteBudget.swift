import EventIO

/// The bytes of bodies that one loop holds: unfinished, in a handler, or waiting for their reader. Going over the limit is allowed and
/// visible: the owner of a charge decides what to refuse. Charges of callers have shares: see ``PoolShares``.
///
/// `@unchecked Sendable` is sound because the loop's thread alone touches it; a charge released elsewhere hops there.
final class ByteBudget: @unchecked Sendable {
    private let loop: EventLoop
    // Unchecked: a value that calls no other code.
    @exclusivity(unchecked) private var shares: PoolShares

    init(_ limit: Int, on loop: EventLoop) {
        shares = PoolShares(capacity: limit)
        self.loop = loop
    }

    /// Changed on the loop's thread.
    var limit: Int {
        get { shares.capacity }
        set { shares.capacity = newValue }
    }

    var used: Int { shares.held }

    var isExceeded: Bool { used > limit }

    /// Whether the caller may have so many bytes more; without one, whether they are free.
    func hasRoom(for caller: PoolCaller?, adding count: Int) -> Bool { shares.hasRoom(for: caller, adding: count) }

    fileprivate func change(by count: Int, for caller: PoolCaller?) {
        if count >= 0 { shares.add(caller, count) } else { shares.remove(caller, -count) }
    }

    fileprivate func release(_ count: Int, of caller: PoolCaller?) {
        if loop.isCurrent {
            change(by: -count, for: caller)
        } else {
            loop.execute { self.change(by: -count, for: caller) }
        }
    }
}

/// One message's share of a budget, released when the charge ends.
struct ByteCharge: ~Copyable, Sendable {
    private let budget: ByteBudget
    private let caller: PoolCaller?
    private var count = 0

    /// - Parameter caller: in whose share it counts; nil if it counts in none.
    init(to budget: ByteBudget, for caller: PoolCaller? = nil) {
        self.budget = budget
        self.caller = caller
    }

    /// The message now has `count` bytes. Loop thread only.
    mutating func set(_ count: Int) {
        guard count != self.count else { return }
        budget.change(by: count - self.count, for: caller)
        self.count = count
    }

    /// The message has, or will have, `count` bytes. Returns false, and charges nothing more, if the caller has no room for them. Loop
    /// thread only.
    mutating func grow(to count: Int) -> Bool {
        guard count > self.count else { return true }
        guard budget.hasRoom(for: caller, adding: count - self.count) else { return false }
        set(count)
        return true
    }

    /// Whether nothing is charged.
    var isEmpty: Bool { count == 0 }

    /// Whether all charges together exceed the budget.
    var isBeyondBudget: Bool { budget.isExceeded }

    /// Moves what is charged to another owner.
    mutating func moveOut() -> ByteCharge {
        var moved = ByteCharge(to: budget, for: caller)
        moved.count = count
        count = 0
        return moved
    }

    deinit { if count > 0 { budget.release(count, of: caller) } }
}

/// Keeps the bytes of a complete response charged to its loop's budget until the last reference is released: the response may
/// have a slow reader.
public final class BufferedBytes: Sendable {
    private let charge: ByteCharge

    init(_ charge: consuming ByteCharge) { self.charge = charge }
}
