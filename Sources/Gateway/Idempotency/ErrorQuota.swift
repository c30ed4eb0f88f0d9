/// How many refusals are kept as answers. Anybody may have himself refused as often as he likes, and is not to push out the answers
/// of what was done: a refusal that is not kept is worked out again, and nothing is done twice.
struct ErrorQuota {
    private let limit: Int
    private var count = 0
    /// Unix seconds.
    private var end: Int64 = 0

    /// - Parameter capacity: of all answers. In the time that one is kept for, a quarter of it may be refusals: of two such times
    ///   together, half.
    init(ofCapacity capacity: Int) { limit = capacity / 4 }

    /// Whether another one may be kept.
    mutating func take(now: Int64) -> Bool {
        if now >= end {
            end = now + IdempotencyKey.lifetime
            count = 0
        }
        guard count < limit else { return false }
        count += 1
        return true
    }
}
