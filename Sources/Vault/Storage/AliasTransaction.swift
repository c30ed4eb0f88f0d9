/// The steps of reading. Rows come as they are stored; ones of an impossible shape throw `damaged`.
public protocol AliasReading {
    /// The time by the store's own clock (Unix milliseconds); nil if it goes by the process's.
    func time() throws(VaultError) -> Int64?
    /// The 16 random bytes that name this vault; `nil` in a store that has none yet.
    func vaultID() throws(VaultError) -> [UInt8]?
    /// All keys, in order of their ids.
    func keys() throws(VaultError) -> [KeyRecord]
    /// What is stored under this alias.
    func entry(alias: String) throws(VaultError) -> AliasEntry?
    /// The value with this fingerprint.
    func value(fingerprint: Fingerprint) throws(VaultError) -> ValueRecord?
    /// All aliases of a value, oldest first.
    func aliases(of value: Int64) throws(VaultError) -> [AliasRecord]
    /// Whether the alias is taken.
    func holds(alias: String) throws(VaultError) -> Bool
    /// Those of texts that may be card numbers which are aliases, in one look-up. Of a text no more may leave the process than a truncated
    /// number shows: its first six digits, or eight of sixteen and more, and its last four (PCI SSC FAQ 1091).
    func aliases(amongPossibleNumbers texts: [String]) throws(VaultError) -> [String]
    /// Calls `visit` with every alias that begins with `prefix`.
    func visitAliases(prefix: String, _ visit: (String) -> Void) throws(VaultError)
    /// Up to `limit` values with ids above `id` and up to `last`, ascending, that are not sealed under `key`. No index leads to them: as
    /// many rows are gone through as have such ids.
    func values(
        after id: Int64, through last: Int64, notSealedUnder key: Int64, limit: Int
    ) throws(VaultError) -> ValuePage
    /// Under which keys the next `count` values with ids above `id` are sealed; empty if there is no further value.
    func keySpans(ofValuesAfter id: Int64, count: Int) throws(VaultError) -> [KeySpan]
    /// The highest id of a value; 0 if there is none.
    func lastValueID() throws(VaultError) -> Int64
    /// Up to `limit` values that expire at `time` (Unix seconds) or before, in order of expiry and then of id, behind `cursor`.
    func values(
        expiringBy time: Int64, after cursor: ExpiryCursor, limit: Int
    ) throws(VaultError) -> ValuePage
    /// Whether any value with an id above `value`, or any response behind the cursor `response`, is sealed under `key`.
    func hasRecords(
        sealedUnder key: Int64, afterValue value: Int64, afterResponse response: [UInt8]
    ) throws(VaultError) -> Bool
    /// The response stored under this name, expired or not.
    func response(_ name: [UInt8]) throws(VaultError) -> ResponseRecord?
    /// Those of the next `limit` responses behind `cursor`, in an order of the store's own, that are not sealed under `key`, and the cursor
    /// to go on with; nil at the end. An empty cursor stands before the first.
    func responses(
        after cursor: [UInt8], notSealedUnder key: Int64, limit: Int
    ) throws(VaultError) -> (records: [ResponseRecord], next: [UInt8]?)
    /// How many responses there are, and how large they are.
    func responseTotals() throws(VaultError) -> ResponseTotals
    /// The last record of an audit log that was reported; nil if there was none.
    func anchor(of log: Int64) throws(VaultError) -> AuditAnchor?
    /// The row of this kind and name; a transaction that writes has it to itself from then on.
    func accessRecord(_ kind: AccessRecord.Kind, _ name: [UInt8]) throws(VaultError) -> AccessRecord?
    /// The rows of a kind that were added since a time of the store's clock (Unix milliseconds), looking back over
    /// ``AccessReading/overlap``; all of them if it is nil.
    func accessRecords(_ kind: AccessRecord.Kind, since: Int64?) throws(VaultError) -> AccessReading
}

extension AliasReading {
    /// A store that has no clock of its own.
    public func time() throws(VaultError) -> Int64? { nil }

    /// Up to `limit` values with ids above `id`, ascending, that are not sealed under `key`.
    public func values(after id: Int64, notSealedUnder key: Int64, limit: Int) throws(VaultError) -> ValuePage {
        try values(after: id, through: .max, notSealedUnder: key, limit: limit)
    }
}

/// The steps of writing.
public protocol AliasTransaction: AliasReading {
    /// Names a new vault.
    func insert(vaultID: [UInt8]) throws(VaultError)
    /// Adds a key.
    func insert(_ key: KeyRecord) throws(VaultError)
    /// Replaces a key's wrapped forms, allotted uses and tag.
    func update(_ key: KeyRecord) throws(VaultError)
    /// Removes a key.
    func delete(key id: Int64) throws(VaultError)
    /// An id that no value has or has ever had.
    func nextValueID() throws(VaultError) -> Int64
    /// Adds a value, which has no alias yet or whose aliases were inserted by the same request.
    func insert(_ value: ValueRecord) throws(VaultError)
    /// Adds an alias; `false`, and nothing done, if it is taken.
    func insert(_ alias: AliasRecord) throws(VaultError) -> Bool
    /// Replaces all of a value but its id, binding and creation.
    func update(_ value: ValueRecord) throws(VaultError)
    /// Removes the row of an alias, whatever it holds, and the value that it names if no row of another alias does. Nothing that it
    /// reads is checked: an alias that is damaged can be deleted.
    func erase(alias: String) throws(VaultError)
    /// Removes the row of a value and those of the aliases that name it, whatever they hold. Returns the aliases.
    func erase(value id: Int64) throws(VaultError) -> [String]
    /// Adds a response, or puts it in the place of the one of the same name.
    func replace(_ response: ResponseRecord) throws(VaultError)
    /// Adds a response; `false`, and nothing done, if there is one of the same name.
    func insert(_ response: ResponseRecord) throws(VaultError) -> Bool
    /// Removes the response of this name if it is still this one; returns whether it was.
    func delete(response name: [UInt8], sealed: [UInt8]) throws(VaultError) -> Bool
    /// Removes up to `limit` responses that expire at `time` (Unix seconds) or before, the earliest first.
    func deleteResponses(expiringBy time: Int64, limit: Int) throws(VaultError) -> ResponseTotals
    /// Puts an audit log's anchor in the place of the one before.
    func replace(_ anchor: AuditAnchor) throws(VaultError)
    /// Adds a row with the time of the store's clock; `false`, and nothing done, if there is one of the same kind and name.
    func insert(_ record: AccessRecord) throws(VaultError) -> Bool
    /// Replaces the content of the row of this kind and name, and the time at which it may be erased.
    func update(_ record: AccessRecord) throws(VaultError)
    /// Erases up to `limit` rows that may be erased at `time` (Unix seconds); returns how many.
    func deleteAccessRecords(forgottenBy time: Int64, limit: Int) throws(VaultError) -> Int
}

/// Where a walk over values by their expiry has got to.
public struct ExpiryCursor: Sendable {
    /// Unix seconds: the expiry of the last value that was passed.
    public let expiresAt: Int64
    /// The number of that value in the store.
    public let id: Int64

    package init(expiresAt: Int64, id: Int64) {
        self.expiresAt = expiresAt
        self.id = id
    }

    /// Before all values.
    package static let start = ExpiryCursor(expiresAt: .min, id: .min)
}
