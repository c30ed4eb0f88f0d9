import Fairness

/// Divides the aliases of narrow spaces among callers, by ``FairShare``. A credential by itself, or a token without a subject, is a
/// backend of whoever runs the gateway: it may use up a space, and is told so (507).
///
/// What a caller got is counted over a window, after which volatile aliases are free again and persistent ones are no longer held against
/// it: how many are taken at all the vault knows. Memory is bounded: 16,384 pairs of caller and space; those with the fewest aliases are
/// forgotten first.
public final class SpaceShares: Sendable {
    private let counts = BoundedTable(capacity: 1 << 14, vacant: RecentCount())

    /// Nothing is taken yet.
    public init() {}

    private struct Key: Hashable {
        let space: Int
        let holder: Shares.Holder
    }

    /// Counts an alias for the holder, if it may have another.
    ///
    /// - Parameters:
    ///   - space: its hash, uniform and secret.
    ///   - size: aliases of the space.
    ///   - used: those that are taken, which may be an estimate.
    ///   - window: seconds.
    ///   - now: monotonic seconds.
    public func claim(
        in space: Int, of size: Int, used: Int, for holder: Shares.Holder, window: Int64, at now: Int64
    ) -> Shares.Outcome {
        guard holder.hasShareOfSpaces else { return .granted }
        let group = BoundedTable<RecentCount>.hash(Key(space: space, holder: holder.whole))
        let own = BoundedTable<RecentCount>.hash(Key(space: space, holder: holder))
        let (taken, groupWait) = counts.withEntry(group, at: now) { ($0.count(window, at: now), $0.wait(at: now)) }
        let share = FairShare(free: size - max(used, taken), group: taken)
        guard share.room > 0 else { return .refused(retryAfter: groupWait) }
        if holder.isMember {
            let refused = counts.withEntry(own, at: now) { count -> Int? in
                guard !share.admits(member: count.count(window, at: now)) else {
                    count.add(at: now)
                    return nil
                }
                return count.wait(at: now)
            }
            if let refused { return .refused(retryAfter: refused) }
        }
        counts.withEntry(group, at: now) {
            _ = $0.count(window, at: now)
            $0.add(at: now)
        }
        return .granted
    }
}

/// A count over a window that slides by eighths.
struct RecentCount: TableEntry {
    private var slices: [Int32] = []
    /// The number of the newest slice, and seconds of each.
    private var newest: Int64 = 0
    private var length: Int64 = 1

    func weight(at now: Int64) -> Int64 {
        now / length - newest >= 8 ? 0 : slices.reduce(0) { $0 + Int64($1) }
    }

    /// What was added in the window that ends now.
    mutating func count(_ window: Int64, at now: Int64) -> Int {
        let length = max(window / 8, 1)
        if slices.isEmpty || length != self.length {
            slices = [Int32](repeating: 0, count: 8)
            self.length = length
            newest = now / length
        }
        let passed = min(max(now / length - newest, 0), 8)
        if passed > 0 {
            slices = Array(slices.dropFirst(Int(passed))) + [Int32](repeating: 0, count: Int(passed))
            newest = now / length
        }
        return slices.reduce(0) { $0 + Int($1) }
    }

    /// Adds one; to be called after ``count(_:at:)``.
    mutating func add(at now: Int64) {
        guard let last = slices.indices.last, slices[last] < .max else { return }
        slices[last] += 1
    }

    /// Seconds until the oldest leave the window.
    func wait(at now: Int64) -> Int {
        let oldest = slices.firstIndex { $0 > 0 } ?? 0
        let end = (newest - 7 + Int64(oldest) + 8) * length
        return Int(min(max(end - now, 1), 86_400))
    }
}
