/// When a data key gives way to a new one, and how many seals are set aside at a time.
struct KeyPolicy: Sendable {
    /// Seconds.
    let lifetime: Int64
    /// Seals a key may make: NIST SP 800-38D, 8.3 bounds random nonces by 2^32 a key.
    let uses: Int64

    /// Seals are counted in the store in blocks, before they are made: after a crash the count is too high by part of a
    /// block, and never too low.
    func block(for uses: Int64) -> Int64 { max(uses, min(65_536, self.uses / 8)) }

    func isTooOld(_ createdAt: Int64, now: Int64) -> Bool { now &- lifetime >= createdAt }

    /// Whether this key may have `block` more seals set aside.
    func allows(_ key: WrappedKey, block: Int64, now: Int64) -> Bool {
        key.reservedUses <= uses - block && !isTooOld(key.createdAt, now: now)
    }
}
