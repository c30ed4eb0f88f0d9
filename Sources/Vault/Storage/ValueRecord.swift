/// A value as a store keeps it.
public struct ValueRecord: Sendable {
    /// Given out by the store, ascending.
    public let id: Int64
    /// How an equal value finds this record; `nil` where it was stored without reuse.
    public let fingerprint: Fingerprint?
    /// The data key that it is sealed under.
    public var keyID: Int64
    /// `nonce ‖ ciphertext ‖ tag`.
    public var sealed: [UInt8]
    /// Labels, in the order in which they were first given.
    public var classifiers: [String]
    /// When it was first stored: Unix seconds.
    public let createdAt: Int64

    /// A record made by the vault or read by a store.
    public init(
        id: Int64, fingerprint: Fingerprint?, keyID: Int64, sealed: [UInt8], classifiers: [String], createdAt: Int64
    ) {
        self.id = id
        self.fingerprint = fingerprint
        self.keyID = keyID
        self.sealed = sealed
        self.classifiers = classifiers
        self.createdAt = createdAt
    }
}
