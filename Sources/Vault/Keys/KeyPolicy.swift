/// When a data key is replaced by a new one, and how many seals are allotted at a time.
struct KeyPolicy: Sendable {
    /// Seconds.
    let lifetime: Int64
    /// Seals that a key may make.
    let uses: Int64

    /// Seals are counted in the store in blocks, before they are made: after a crash the count is too high by part of a
    /// block, and never too low.
    func block(for uses: Int64) -> Int64 { max(uses, min(65_536, self.uses / 8)) }

    func isTooOld(_ createdAt: Int64, now: Int64) -> Bool { now &- lifetime >= createdAt }

    /// Whether `block` more seals may be allotted under this key.
    func allows(_ key: KeyRecord, block: Int64, now: Int64) -> Bool {
        key.allottedUses <= uses - block && !isTooOld(key.createdAt, now: now)
    }
}
