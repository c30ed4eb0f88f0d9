import EventIO

/// The bytes of bodies that one loop holds: unfinished, in a handler, or waiting for their reader. Going over the limit is allowed and
/// visible: the owner of a charge decides what to refuse.
///
/// `@unchecked Sendable` is sound because the loop's thread alone touches it; a charge released elsewhere hops there.
final class ByteBudget: @unchecked Sendable {
    private let loop: EventLoop
    /// Changed on the loop's thread.
    var limit: Int
    private(set) var used = 0

    init(_ limit: Int, on loop: EventLoop) {
        self.limit = limit
        self.loop = loop
    }

    var isExceeded: Bool { used > limit }

    fileprivate func change(by count: Int) { used += count }

    fileprivate func release(_ count: Int) {
        if loop.isCurrent { used -= count } else { loop.execute { self.used -= count } }
    }
}

/// One message's share of a budget, released when the charge ends.
struct ByteCharge: ~Copyable, Sendable {
    private let budget: ByteBudget
    private var count = 0

    init(to budget: ByteBudget) { self.budget = budget }

    /// The message now has `count` bytes. Loop thread only.
    mutating func set(_ count: Int) {
        budget.change(by: count - self.count)
        self.count = count
    }

    /// Whether nothing is charged.
    var isEmpty: Bool { count == 0 }

    /// Whether all charges together exceed the budget.
    var isBeyondBudget: Bool { budget.isExceeded }

    /// Moves what is charged to another owner.
    mutating func moveOut() -> ByteCharge {
        var moved = ByteCharge(to: budget)
        moved.count = count
        count = 0
        return moved
    }

    deinit { if count > 0 { budget.release(count) } }
}

/// Keeps the bytes of a complete response charged to its loop's budget until the last reference is released: the response may
/// have a slow reader.
public final class BufferedBytes: Sendable {
    private let charge: ByteCharge

    init(_ charge: consuming ByteCharge) { self.charge = charge }
}
