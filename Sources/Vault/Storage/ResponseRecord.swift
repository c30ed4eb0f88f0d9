/// A sealed response to a repeatable request, or a mark in its place, that a store keeps for a time under a name.
public struct ResponseRecord: Sendable {
    /// 32 bytes: a keyed code of the request.
    public let name: [UInt8]
    /// The data key that it is sealed under.
    public let keyID: Int64
    /// `nonce ‖ ciphertext ‖ tag` of XAES-256-GCM; name and expiry are covered.
    public let sealed: [UInt8]
    /// Until when it is stored: Unix seconds.
    public let expiresAt: Int64

    /// A record made by the vault or read by a store.
    public init(name: [UInt8], keyID: Int64, sealed: [UInt8], expiresAt: Int64) {
        self.name = name
        self.keyID = keyID
        self.sealed = sealed
        self.expiresAt = expiresAt
    }
}

/// How much is stored of responses.
public struct ResponseTotals: Sendable, Equatable {
    /// How many there are.
    public var count: Int
    /// Of what is sealed.
    public var bytes: Int

    /// So many responses, of so many bytes together.
    public init(count: Int = 0, bytes: Int = 0) {
        self.count = count
        self.bytes = bytes
    }

    static func += (totals: inout ResponseTotals, more: ResponseTotals) {
        totals.count += more.count
        totals.bytes += more.bytes
    }

    static func -= (totals: inout ResponseTotals, less: ResponseTotals) {
        totals.count -= less.count
        totals.bytes -= less.bytes
    }
}
