import Glibc

/// A bounded queue into threads that wait for work.
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
    /// Threads that wait and have not been signalled.
    private var waiting = 0

    /// A queue of at most `limit` items.
    package init(limit: Int) {
        self.limit = limit
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Items that wait.
    package var count: Int { locked { items.count + first.count } }

    /// What became of an item.
    package enum Posting {
        case accepted
        case full
        case closed
    }

    /// Adds an item. Wakes a thread only if one sleeps: a system call less where they are busy. The thread is woken when the mutex is
    /// free: on one core it runs at once, and would only wait again.
    ///
    /// - Parameter isFirst: whether it goes before all that were put without this.
    package func put(_ item: Item, first isFirst: Bool = false) -> Posting {
        var sleeps = false
        let posting: Posting = locked {
            guard !isClosed else { return .closed }
            guard items.count + first.count < limit else { return .full }
            if isFirst { first.append(item) } else { items.append(item) }
            if waiting > 0 {
                waiting -= 1
                sleeps = true
            }
            return .accepted
        }
        if sleeps { pthread_cond_signal(condition) }
        return posting
    }

    /// Waits until there is something, and takes up to `limit` items of it, in order. Empty once the queue is closed
    /// and everything has been taken.
    package func take(limit: Int) -> [Item] {
        locked {
            while items.isEmpty, first.isEmpty, !isClosed {
                waiting += 1
                pthread_cond_wait(condition, mutex)
            }
            let taken = Self.take(limit, of: &first)
            if items.isEmpty || taken.count == limit { return taken }
            return taken + Self.take(limit - taken.count, of: &items)
        }
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
            waiting = 0
            pthread_cond_broadcast(condition)
        }
    }

    private func locked<Result>(_ access: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return access()
    }
}
