/// A volatile value in memory.
struct VolatileRecord: Sendable {
    let id: Int64
    /// `nonce ‖ ciphertext ‖ tag` under the process's ephemeral key.
    var sealed: [UInt8]
    var classifiers: [String]
    var aliases: [Alias]
    /// Unix seconds, for answers.
    let createdAt: Int64
    /// On the clock of elapsed milliseconds.
    var expiresAt: Int64
}
