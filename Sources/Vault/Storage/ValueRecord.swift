/// A value as a store keeps it. Everything but the id is covered by the seal or is the seal itself, and the id too: see `Sealer`.
public struct ValueRecord: Sendable {
    /// Given out by the store, ascending, never twice in the life of a vault.
    public let id: Int64
    /// Ties the value to its aliases.
    public let binding: Binding
    /// How an equal value finds this record; `nil` where it was stored without reuse.
    public var fingerprint: Fingerprint?
    /// The data key that it is sealed under.
    public var keyID: Int64
    /// `nonce ‖ ciphertext ‖ tag` of XAES-256-GCM.
    public var sealed: [UInt8]
    /// Labels, in the order in which they were first given.
    public var classifiers: [String]
    /// When it was first stored: Unix seconds.
    public let createdAt: Int64
    /// From when on its aliases are unknown: Unix seconds; nil if never.
    public var expiresAt: Int64?

    /// Whether it has expired by this time (Unix seconds).
    func hasExpired(by time: Int64) -> Bool { expiresAt.map { $0 <= time } ?? false }
}

extension ValueRecord {
    /// A record from the columns of its row. Throws `damaged` where a column holds what was never written.
    ///
    /// - Parameters:
    ///   - binding: 16 bytes.
    ///   - fingerprint: 32 bytes, or nil.
    ///   - classifiers: as `classifierBytes` wrote them; nil for none.
    package init(
        id: Int64, binding: [UInt8], fingerprint: [UInt8]?, keyID: Int64, sealed: [UInt8], classifiers: [UInt8]?,
        createdAt: Int64, expiresAt: Int64?
    ) throws(VaultError) {
        let labels = classifiers.map(ClassifierCoding.decode) ?? []
        let code = fingerprint.flatMap(Fingerprint.init(bytes:))
        guard let binding = Binding(bytes: binding), let labels, code != nil || fingerprint == nil else {
            throw .damaged(alias: nil)
        }
        self.init(
            id: id, binding: binding, fingerprint: code, keyID: keyID, sealed: sealed, classifiers: labels,
            createdAt: createdAt, expiresAt: expiresAt)
    }

    /// The classifiers as a store keeps them; nil for none.
    package var classifierBytes: [UInt8]? { classifiers.isEmpty ? nil : ClassifierCoding.encode(classifiers) }
}
