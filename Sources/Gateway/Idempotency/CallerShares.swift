/// How much of the storage for responses each caller uses. A caller may add to it while its own use is less than what is free. So one
/// caller uses half at most, two use a third each, and there is always room for another. Callers that can't be told apart are one.
///
/// It counts what was stored since the process started; what was stored before only makes less free.
struct CallerShares {
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

    private struct Caller {
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
    /// By the owner of the keys; nil for callers that can't be told apart.
    private var callers: [String?: Caller] = [:]

    init(_ limits: IdempotencyLimits) {
        self.limits = limits
    }

    func use(of caller: String?) -> Use { callers[caller]?.use ?? Use() }

    /// Whether the caller may store another entry.
    ///
    /// - Parameter total: use by all callers.
    mutating func mayAdd(_ caller: String?, total: Use, now: Int64) -> Bool {
        callers[caller]?.expire(now: now)
        return use(of: caller).entries < limits.entries - total.entries
    }

    /// Whether a response of so many bytes may be stored in an entry of the caller's.
    mutating func mayAdd(bytes: Int, _ caller: String?, total: Use, now: Int64) -> Bool {
        callers[caller]?.expire(now: now)
        return use(of: caller).bytes + bytes <= limits.bytes - total.bytes - bytes
    }

    /// Counts an entry, which lives for `limits.lifetime`, or bytes of its response.
    mutating func add(entries: Int = 0, bytes: Int = 0, _ caller: String?, now: Int64) {
        // 64 slices a lifetime bound the memory of a caller.
        let length = max(limits.lifetime / 64, 1)
        let expiresAt = (now / length + 1) * length + limits.lifetime
        var entry = callers[caller] ?? Caller()
        entry.expire(now: now)
        entry.use.entries += entries
        entry.use.bytes += bytes
        if let last = entry.slices.indices.last, entry.slices[last].expiresAt == expiresAt {
            entry.slices[last].entries += entries
            entry.slices[last].bytes += bytes
        } else {
            entry.slices.append(Slice(expiresAt: expiresAt, entries: entries, bytes: bytes))
        }
        callers[caller] = entry
    }
}
