import Access
import Synchronization
import Vault

/// What a VOLATILE value and one alias of it take of their caller's share: one place for the alias, the rest for as long as the value lives.
struct VolatilePlaces: Sendable {
    let ofAlias: VolatilePlace
    let further: FurtherPlaces?
    /// In monotonic milliseconds.
    let end: Int64
}

/// Places in a caller's share. They are given back when the last reference to it goes.
final class VolatilePlace: Sendable {
    private let count: Int
    private let shares: Shares
    private let holder: Shares.Holder
    private let end: Mutex<Int64>

    init(_ count: Int, of shares: Shares, _ holder: Shares.Holder, until end: Int64) {
        self.count = count
        self.shares = shares
        self.holder = holder
        self.end = Mutex(end)
    }

    /// Notes that the places come free later, in monotonic milliseconds.
    func postpone(until later: Int64) {
        end.withLock { end in
            shares.postpone(count, holder, from: end, until: later)
            end = later
        }
    }

    deinit { shares.release(holder, count, until: end.withLock { $0 }) }
}
