import Access
import Fairness

/// How much of the storage for responses each caller uses, which is limited by `FairShare`.
///
/// It counts what was stored since the process started. What was stored before, and by other processes, makes less free, and counts for the
/// public as its own: so strangers use half at most, through however many processes they come.
struct ResponseShares {
    /// What one caller has stored in one slice of time.
    private struct Slice {
        /// Unix seconds.
        let expiresAt: Int64
        var entries: Int
        var bytes: Int
    }

    struct Use: Equatable {
        var entries = 0
        var bytes = 0
    }

    private struct Account {
        var use = Use()
        /// In the order of time.
        var slices: [Slice] = []

        mutating func expire(now: Int64) {
            while let first = slices.first, first.expiresAt <= now {
                use.entries -= first.entries
                use.bytes -= first.bytes
                slices.removeFirst()
            }
        }
    }

    private let limits: IdempotencyLimits
    private var accounts: [Shares.Holder: Account] = [:]
    /// Of all callers.
    private var own = Account()
    /// How many accounts there may be before expired ones are removed: 1,024, or twice as many as were left by the last removal.
    private var pruneAt = 1_024

    init(_ limits: IdempotencyLimits) {
        self.limits = limits
    }

    func use(of holder: Shares.Holder) -> Use { accounts[holder]?.use ?? Use() }

    /// How many callers are known.
    var count: Int { accounts.count }

    /// Seconds until the holder may store another entry, as far as its own ones are in the way; nil if it may now.
    ///
    /// - Parameter total: use by all callers.
    mutating func wait(of holder: Shares.Holder, total: Use, now: Int64) -> Int64? {
        guard let limiting = limiting(holder, limits.entries, total, least: 1, now: now, \.entries) else { return nil }
        // Without entries of its own it waits for those of others, which may come free at any time.
        guard let end = accounts[limiting]?.slices.first?.expiresAt else { return 60 }
        return min(max(end - now, 1), 86_400)
    }

    /// Whether a response of so many bytes may be stored in an entry of the holder's.
    mutating func mayAdd(bytes: Int, _ holder: Shares.Holder, total: Use, now: Int64) -> Bool {
        limiting(holder, limits.bytes - bytes, total, least: bytes, now: now, \.bytes) == nil
    }

    /// The group or member whose share would be exceeded.
    private mutating func limiting(
        _ holder: Shares.Holder, _ limit: Int, _ total: Use, least: Int, now: Int64, _ unit: KeyPath<Use, Int>
    ) -> Shares.Holder? {
        accounts[holder.whole]?.expire(now: now)
        own.expire(now: now)
        let others = holder.isOfPublic ? max(0, total[keyPath: unit] - own.use[keyPath: unit]) : 0
        let share = FairShare(
            free: limit - total[keyPath: unit], group: use(of: holder.whole)[keyPath: unit] + others)
        guard share.room >= least else { return holder.whole }
        guard holder.isMember else { return nil }
        accounts[holder]?.expire(now: now)
        return share.admits(member: use(of: holder)[keyPath: unit]) ? nil : holder
    }

    /// Counts an entry, which lives for `limits.lifetime`, or bytes of its response; or takes one back.
    ///
    /// - Parameter now: when the entry was made.
    mutating func add(entries: Int = 0, bytes: Int = 0, _ holder: Shares.Holder, now: Int64) {
        add(entries, bytes, to: &own, now: now)
        add(entries, bytes, to: holder.whole, now: now)
        if holder.isMember { add(entries, bytes, to: holder, now: now) }
        guard accounts.count > pruneAt else { return }
        for name in Array(accounts.keys) {
            accounts[name]?.expire(now: now)
            if accounts[name]?.slices.isEmpty == true { accounts[name] = nil }
        }
        pruneAt = max(1_024, accounts.count * 2)
    }

    private mutating func add(_ entries: Int, _ bytes: Int, to holder: Shares.Holder, now: Int64) {
        add(entries, bytes, to: &accounts[holder, default: Account()], now: now)
    }

    private func add(_ entries: Int, _ bytes: Int, to account: inout Account, now: Int64) {
        // 64 slices a lifetime bound the memory of a caller.
        let length = max(limits.lifetime / 64, 1)
        let expiresAt = (now / length + 1) * length + limits.lifetime
        account.expire(now: now)
        account.use.entries += entries
        account.use.bytes += bytes
        // What belongs to a request that has run for long comes behind later ones.
        let before = account.slices.lastIndex { $0.expiresAt <= expiresAt }
        if let before, account.slices[before].expiresAt == expiresAt {
            account.slices[before].entries += entries
            account.slices[before].bytes += bytes
        } else {
            let slice = Slice(expiresAt: expiresAt, entries: entries, bytes: bytes)
            account.slices.insert(slice, at: before.map { $0 + 1 } ?? 0)
        }
    }
}
