import Threads

/// A bounded queue into threads that wait for work; each takes a batch.
///
/// Batches of a few items cost more for each than large ones. So while others are at work a thread waits until there are as many items as
/// each of those has taken, or for ``gathering``; otherwise the first of them would take one item, the next one another, and so on.
package final class Mailbox<Item: Sendable>: Sendable {
    private struct State {
        var items: [Item] = []
        /// Taken before all others.
        var first: [Item] = []
        var isClosed = false
        /// Threads that sleep, and how many of them have been woken. The second is never too high: otherwise an item could wait without
        /// any thread being woken for it.
        var (sleeping, woken) = (0, 0)
        /// Threads that are at work, and the items that they have taken.
        var (busy, underWay) = (0, 0)
        /// Whether a thread sleeps for ``gathering`` at the most.
        var hasTimekeeper = false

        var available: Int { items.count + first.count }

        /// Whether a thread is to take what there is: at once if no other is at work, else if it is a batch like theirs.
        var isEnough: Bool { available > 0 && available * busy >= underWay }

        /// Whether a thread is to be woken for what has been put: one sleeps and has something to do. It then counts as woken.
        mutating func wakesOne() -> Bool {
            let wakes = sleeping > woken && (isEnough || !hasTimekeeper)
            if wakes { woken += 1 }
            return wakes
        }

        mutating func take(_ limit: Int) -> [Item] {
            var taken = Self.take(limit, of: &first)
            if !items.isEmpty, taken.count < limit { taken += Self.take(limit - taken.count, of: &items) }
            if !taken.isEmpty { (busy, underWay) = (busy + 1, underWay + taken.count) }
            return taken
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
    }

    private let limit: Int
    private let state = Monitor(State())

    /// How long items wait for others while some thread is at work.
    static var gathering: Duration { .milliseconds(5) }

    /// A queue of at most `limit` items, and as many that go first.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Items that wait.
    package var count: Int { state.withLock { $0.available } }

    /// What became of an item.
    package enum Posting {
        case accepted
        case full
        case closed
    }

    /// Adds an item. Wakes a thread only if one sleeps and has something to do: a system call less otherwise.
    ///
    /// - Parameter isFirst: whether it goes before all that were put without this.
    package func put(_ item: Item, first isFirst: Bool = false) -> Posting {
        let (posting, wakes) = state.withLock { state -> (Posting, Bool) in
            guard !state.isClosed else { return (.closed, false) }
            // Those that go first have begun already: new ones must not fill the queue for them.
            guard (isFirst ? state.first.count : state.available) < limit else { return (.full, false) }
            if isFirst { state.first.append(item) } else { state.items.append(item) }
            return (.accepted, state.wakesOne())
        }
        if wakes { state.wakeOne() }
        return posting
    }

    /// Waits until there is something, and takes up to `limit` items of it, in order. Empty once the queue is closed
    /// and everything has been taken.
    ///
    /// - Parameter done: the items that the thread has taken the last time; it is done with them.
    package func take(limit: Int, after done: Int) -> [Item] {
        take(limit: limit, after: done, unless: { false }) ?? []
    }

    /// As ``take(limit:after:)``; `nil` if the thread has something else to do first.
    ///
    /// - Parameter isCalled: whether it has: asked before it takes anything, and each time that it is woken (``call()``). Must not use the
    ///   queue.
    package func take(limit: Int, after done: Int, unless isCalled: () -> Bool) -> [Item]? {
        if done > 0 { state.withLock { ($0.busy, $0.underWay) = ($0.busy - 1, $0.underWay - done) } }
        var sleep: Sleep?
        return state.wait { state, isDue in
            sleep?.end(&state)
            sleep = nil
            if isCalled() { return .found(nil) }
            guard state.isEnough || state.isClosed || isDue && state.available > 0 else {
                let next = Sleep(&state)
                sleep = next
                return .sleep(until: next.keepsTime ? .now + Self.gathering : nil)
            }
            return .found(state.take(limit))
        }
    }

    /// The sleep of a thread that waits for items.
    private struct Sleep {
        /// Whether it wakes by itself, for those that wait for more while others are at work.
        let keepsTime: Bool

        init(_ state: inout State) {
            keepsTime = state.busy > 0 && !state.hasTimekeeper
            state.sleeping += 1
            if keepsTime { state.hasTimekeeper = true }
        }

        func end(_ state: inout State) {
            (state.sleeping, state.woken) = (state.sleeping - 1, max(0, state.woken - 1))
            if keepsTime { state.hasTimekeeper = false }
        }
    }

    /// Puts taken items back, before all that wait, and wakes a thread for them. Ignores the queue's limit, and works after its end: they
    /// were accepted.
    ///
    /// - Parameter done: as in ``take(limit:after:)``, of a thread that does not take others at once.
    package func putBack(_ taken: some Collection<Item> & Sendable, after done: Int = 0) {
        let wakes = state.withLock { state in
            if done > 0 { (state.busy, state.underWay) = (state.busy - 1, state.underWay - done) }
            state.items.insert(contentsOf: taken, at: 0)
            return state.wakesOne()
        }
        if wakes { state.wakeOne() }
    }

    /// Has the threads that wait look whether they have something else to do.
    package func call() { state.wakeAll() }

    /// Takes nothing more in.
    package func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
    }
}
