/// A key of the vault as a store keeps it: wrapped under the master key, never in the clear.
public struct KeyRecord: Sendable {
    /// What a key is for. Raw values are what stores keep.
    public enum Purpose: UInt8, CaseIterable, Sendable {
        /// Seals values and stored responses; the newest is the active one.
        case data = 1
        /// Makes fingerprints; the newest is the active one.
        case fingerprint = 2
        /// Chains the records of the audit log.
        case audit = 3
        /// Proves to a running process that a command holds the master key.
        case operations = 4
        /// Names stored responses.
        case responses = 5
        /// Makes the tags of aliases and of the audit log's anchor.
        case integrity = 6
    }

    /// The key's number: they count up over all purposes.
    public let id: Int64
    /// What it is for.
    public let purpose: Purpose
    /// Key wrap (RFC 5649) over format, purpose, id, creation, vault id and key, under the master key.
    public var wrapped: [UInt8]
    /// The same under the master key that is to follow, until a start with that key has succeeded.
    public var pendingWrapped: [UInt8]?
    /// Unix seconds.
    public let createdAt: Int64
    /// How many seals have been allotted under this key, used or not.
    public var allottedUses: Int64
    /// Covers id, purpose, creation and allotted uses, under a key derived from this one.
    public var tag: RecordTag

    init(
        id: Int64, purpose: Purpose, wrapped: [UInt8], pendingWrapped: [UInt8]? = nil, createdAt: Int64,
        allottedUses: Int64, tag: RecordTag
    ) {
        self.id = id
        self.purpose = purpose
        self.wrapped = wrapped
        self.pendingWrapped = pendingWrapped
        self.createdAt = createdAt
        self.allottedUses = allottedUses
        self.tag = tag
    }

    /// A record from the columns of its row. Throws `corrupt` where a column holds what was never written.
    ///
    /// - Parameters:
    ///   - purpose: the raw value.
    ///   - tag: 16 bytes.
    package init(
        id: Int64, purpose: Int64, wrapped: [UInt8], pendingWrapped: [UInt8]?, createdAt: Int64, allottedUses: Int64,
        tag: [UInt8]
    ) throws(VaultError) {
        guard let number = UInt8(exactly: purpose), let purpose = Purpose(rawValue: number) else {
            throw .corrupt("key \(id) has an unknown purpose")
        }
        guard let tag = RecordTag(bytes: tag) else { throw .corrupt("key \(id) has no tag") }
        self.init(
            id: id, purpose: purpose, wrapped: wrapped, pendingWrapped: pendingWrapped, createdAt: createdAt,
            allottedUses: allottedUses, tag: tag)
    }
}
