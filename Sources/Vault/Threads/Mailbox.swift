import Glibc

/// A bounded queue into threads that wait for work; each takes a batch.
///
/// Batches of a few items cost more for each than large ones. So while others are at work a thread waits until there are as many items as
/// each of those has taken, or for ``gathering``; otherwise the first of them would take one item, the next one another, and so on.
///
/// `@unchecked Sendable`: the items are touched only under the mutex, which lives, like the condition, at an address of
/// its own for as long as the mailbox.
package final class Mailbox<Item: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let limit: Int
    private var items: [Item] = []
    /// Taken before all others.
    private var first: [Item] = []
    private var isClosed = false
    /// Threads that sleep, and how many of them have been signalled. The second is never too high: otherwise an item could wait without
    /// any thread being woken for it.
    private var (sleeping, signalled) = (0, 0)
    /// Threads that are at work, and the items that they have taken.
    private var (busy, underWay) = (0, 0)
    /// Whether a thread sleeps for ``gathering`` at the most.
    private var hasTimekeeper = false

    /// How long items wait for others while some thread is at work, in nanoseconds.
    static var gathering: Int { 5_000_000 }

    /// A queue of at most `limit` items.
    package init(limit: Int) {
        self.limit = limit
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Deadlines do not move when the wall clock is set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Items that wait.
    package var count: Int { locked { available } }

    private var available: Int { items.count + first.count }

    /// Whether a thread is to take what there is: at once if no other is at work, else if it is a batch like theirs.
    private var isEnough: Bool { available > 0 && available * busy >= underWay }

    /// What became of an item.
    package enum Posting {
        case accepted
        case full
        case closed
    }

    /// Adds an item. Wakes a thread only if one sleeps and has something to do: a system call less otherwise. The thread is woken when
    /// the mutex is free: on one core it runs at once, and would only wait again.
    ///
    /// - Parameter isFirst: whether it goes before all that were put without this.
    package func put(_ item: Item, first isFirst: Bool = false) -> Posting {
        var wakes = false
        let posting: Posting = locked {
            guard !isClosed else { return .closed }
            guard available < limit else { return .full }
            if isFirst { first.append(item) } else { items.append(item) }
            wakes = sleeping > signalled && (isEnough || !hasTimekeeper)
            if wakes { signalled += 1 }
            return .accepted
        }
        if wakes { pthread_cond_signal(condition) }
        return posting
    }

    /// Waits until there is something, and takes up to `limit` items of it, in order. Empty once the queue is closed
    /// and everything has been taken.
    ///
    /// - Parameter done: the items that the thread has taken the last time; it is done with them.
    package func take(limit: Int, after done: Int) -> [Item] {
        locked {
            if done > 0 { (busy, underWay) = (busy - 1, underWay - done) }
            while !isEnough, !isClosed, !sleep() {}
            var taken = Self.take(limit, of: &first)
            if !items.isEmpty, taken.count < limit { taken += Self.take(limit - taken.count, of: &items) }
            if !taken.isEmpty { (busy, underWay) = (busy + 1, underWay + taken.count) }
            return taken
        }
    }

    /// Sleeps until there may be enough; `true` if what there is has waited long enough.
    private func sleep() -> Bool {
        sleeping += 1
        defer { (sleeping, signalled) = (sleeping - 1, max(0, signalled - 1)) }
        guard busy > 0, !hasTimekeeper else {
            pthread_cond_wait(condition, mutex)
            return false
        }
        hasTimekeeper = true
        defer { hasTimekeeper = false }
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + Self.gathering
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        return pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT && available > 0
    }

    /// Puts taken items back, before all that wait. Ignores the queue's limit, and works after its end: they were accepted.
    package func putBack(_ taken: some Collection<Item>) {
        locked { items.insert(contentsOf: taken, at: 0) }
    }

    private static func take(_ limit: Int, of items: inout [Item]) -> [Item] {
        if items.count <= limit {
            defer { items = [] }
            return items
        }
        let taken = Array(items.prefix(limit))
        items.removeFirst(limit)
        return taken
    }

    /// Takes nothing more in.
    package func close() {
        locked {
            isClosed = true
            pthread_cond_broadcast(condition)
        }
    }

    private func locked<Result>(_ access: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return access()
    }
}
