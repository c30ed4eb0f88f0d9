/// Something sealed that a store keeps for a time under a name: the answer to a request that may be repeated.
public struct AnswerRecord: Sendable {
    /// 32 bytes that say nothing to whoever has no key.
    public let name: [UInt8]
    /// The data key that it is sealed under.
    public let keyID: Int64
    /// `nonce ‖ ciphertext ‖ tag`.
    public let sealed: [UInt8]
    /// Until when it is kept: Unix seconds.
    public let expiresAt: Int64

    /// A record made by the vault or read by a store.
    public init(name: [UInt8], keyID: Int64, sealed: [UInt8], expiresAt: Int64) {
        self.name = name
        self.keyID = keyID
        self.sealed = sealed
        self.expiresAt = expiresAt
    }
}

/// How much of them there is.
public struct AnswerTotals: Sendable, Equatable {
    public var count: Int
    /// Of what is sealed.
    public var bytes: Int

    public init(count: Int = 0, bytes: Int = 0) {
        self.count = count
        self.bytes = bytes
    }

    static func += (totals: inout AnswerTotals, more: AnswerTotals) {
        totals.count += more.count
        totals.bytes += more.bytes
    }

    static func -= (totals: inout AnswerTotals, less: AnswerTotals) {
        totals.count -= less.count
        totals.bytes -= less.bytes
    }
}
