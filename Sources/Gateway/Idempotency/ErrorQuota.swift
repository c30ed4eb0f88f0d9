/// Limits how many error responses of the gateway are stored. Anybody can send invalid requests, and they must not use up the storage.
/// An error response that is not stored is computed again by a repetition, and nothing is carried out twice.
struct ErrorQuota {
    private let limit: Int
    private let period: Int64
    private var count = 0
    /// Unix seconds.
    private var periodEnd: Int64 = 0

    /// A quarter of the entries may be errors of one period. Entries of two periods are alive at once, so errors use half at most.
    init(_ limits: IdempotencyLimits) {
        limit = limits.entries / 4
        period = limits.lifetime
    }

    /// Counts one, or returns false if the quota is used up.
    mutating func add(now: Int64) -> Bool {
        if now >= periodEnd {
            periodEnd = now + period
            count = 0
        }
        guard count < limit else { return false }
        count += 1
        return true
    }
}
