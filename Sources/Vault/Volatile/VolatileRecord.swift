/// A volatile value in memory.
struct VolatileRecord: Sendable {
    let id: Int64
    /// `nonce ‖ ciphertext ‖ tag` under the process's ephemeral key.
    var sealed: [UInt8]
    var classifiers: [String]
    var aliases: [Alias]
    /// Bytes of the value.
    var size = 0
    /// Places that it takes beside those of its aliases: as many as it ever needed.
    var further = 0
    /// Further aliases that are reserved for it.
    var promised = 0
    /// Unix seconds, as it is returned.
    let createdAt: Int64
    /// When the request that made it wanted it to end, if it said: Unix seconds, as it is returned.
    let endsAt: Int64?
    /// On the clock of elapsed milliseconds.
    var expiresAt: Int64

    /// Places that it would take with these classifiers, beside those that it has.
    func furtherPlaces(with classifiers: [String]) -> Int {
        max(0, VolatileSize(value: size, classifiers: classifiers).further - further)
    }
}
