/// A key of the vault as a store keeps it: wrapped under the master key, never in the clear.
public struct WrappedKey: Sendable {
    /// What a key is for. Raw values are what stores keep.
    public enum Purpose: UInt8, Sendable {
        /// Seals values.
        case data = 1
        /// Makes fingerprints.
        case fingerprint = 2
    }

    /// The key's number; data keys count up, and the highest is the active one.
    public let id: Int64
    /// What it is for.
    public let purpose: Purpose
    /// Key wrap (RFC 5649) over purpose, id and key, so that rows cannot be swapped.
    public let wrapped: [UInt8]
    /// Unix seconds.
    public let createdAt: Int64
    /// How many seals have been set aside under this key, used or not.
    public let reservedUses: Int64

    /// A key as read from a store.
    public init(id: Int64, purpose: Purpose, wrapped: [UInt8], createdAt: Int64, reservedUses: Int64) {
        self.id = id
        self.purpose = purpose
        self.wrapped = wrapped
        self.createdAt = createdAt
        self.reservedUses = reservedUses
    }
}
