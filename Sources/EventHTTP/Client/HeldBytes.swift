import EventIO

/// What is held of an answer that is whole counts on its loop until nobody holds it any more: its reader may be slow.
///
/// `@unchecked Sendable` is sound because `deinit` hops to the loop's thread, the only one that touches the count.
public final class HeldBytes: @unchecked Sendable {
    private let home: ClientLoop
    private let count: Int

    /// - Parameter count: has been added to what the loop holds.
    init(_ count: Int, on home: ClientLoop) {
        self.home = home
        self.count = count
    }

    deinit {
        let (home, count) = (home, count)
        if home.loop.isCurrent { home.heldBytes -= count } else { home.loop.execute { home.heldBytes -= count } }
    }
}
