import Synchronization
public import Vault

/// A store in memory that forgets everything with the process, for tests.
public final class MemoryAliasStore: AliasStore {
    public let isExclusive: Bool
    /// What happens to a request instead of its success.
    public enum Fault: Sendable {
        /// Nothing was done.
        case refused
        /// It was done, but the caller is not told so.
        case unknown
        /// Nothing was done, and the caller is not told so.
        case cutOff
    }

    private final class Shared: Sendable { let contents = Mutex(MemoryContents()) }

    private let shared: Shared
    private let fault = Mutex<(@Sendable (_ isWriting: Bool) -> Fault?)?>(nil)
    private let pause = Mutex<(@Sendable () async -> Void)?>(nil)
    private let clock: (@Sendable () -> Int64)?
    private let longestWalk = Mutex(0)

    /// An empty store.
    ///
    /// - Parameters:
    ///   - isExclusive: false where other processes are believed to write to it, too.
    ///   - clock: its own, in Unix milliseconds; nil if it has none.
    public init(isExclusive: Bool = true, clock: (@Sendable () -> Int64)? = nil) {
        shared = Shared()
        self.isExclusive = isExclusive
        self.clock = clock
    }

    /// What another process finds.
    public init(after other: MemoryAliasStore) {
        shared = other.shared
        isExclusive = other.isExclusive
        clock = other.clock
    }

    /// Asked at every request from now on.
    public func setFaults(_ fault: (@Sendable (_ isWriting: Bool) -> Fault?)?) { self.fault.withLock { $0 = fault } }

    /// Awaited before every change from now on.
    public func setPause(_ pause: (@Sendable () async -> Void)?) { self.pause.withLock { $0 = pause } }

    /// From now on the store returns the row of `other` to who asks for `alias`, as a database in somebody else's hands could.
    public func mislead(_ alias: String, to other: String) {
        shared.contents.withLock { $0.misleading[Array(alias.utf8)] = other }
    }

    /// From now on the store returns the value with the fingerprint `other` to who asks for `fingerprint`.
    public func mislead(_ fingerprint: Fingerprint, to other: Fingerprint) {
        shared.contents.withLock { $0.misleadingFingerprints[fingerprint] = other }
    }

    /// Rows that the longest walk of a writing transaction has gone through: others waited for it.
    public var longestWalkOfWrites: Int { longestWalk.withLock { $0 } }

    private func nextFault(isWriting: Bool) -> Fault? { fault.withLock { $0 }?(isWriting) }

    public func write<Result: Sendable>(
        within limit: WaitLimit?,
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        if let pause = pause.withLock({ $0 }) { await pause() }
        let fault = nextFault(isWriting: true)
        if fault == .refused { throw .unavailable("refused") }
        if fault == .cutOff { throw .outcomeUnknown("cut off") }
        let result = try shared.contents.withLock { (contents) throws(VaultError) -> Result in
            let transaction = MemoryTransaction(contents, time: clock?())
            let result = try work(transaction)
            contents = transaction.contents
            longestWalk.withLock { $0 = max($0, transaction.walked) }
            return result
        }
        if fault == .unknown { throw .outcomeUnknown("lost") }
        return result
    }

    public func read<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        if nextFault(isWriting: false) != nil { throw .unavailable("refused") }
        return try shared.contents.withLock { (contents) throws(VaultError) -> Result in
            try work(MemoryTransaction(contents, time: clock?()))
        }
    }
}

extension MemoryAliasStore {
    /// There is no older format of it.
    public func upgrade(
        _ upgrade: @escaping @Sendable (FormatUpgrade.Source) throws(VaultError) -> FormatUpgrade
    ) async throws(VaultError) {}
}

/// Everything that a `MemoryAliasStore` holds.
struct MemoryContents: Sendable {
    var vaultID: [UInt8]?
    var keys: [Int64: KeyRecord] = [:]
    var values: [Int64: ValueRecord] = [:]
    var fingerprints: [Fingerprint: Int64] = [:]
    /// By the bytes of the alias: texts that Swift takes for the same are two.
    var owners: [[UInt8]: Int64] = [:]
    var aliases: [Int64: [AliasRecord]] = [:]
    var lastID: Int64 = 0
    var misleading: [[UInt8]: String] = [:]
    var misleadingFingerprints: [Fingerprint: Fingerprint] = [:]
    var anchors: [Int64: AuditAnchor] = [:]
    var responses: [[UInt8]: ResponseRecord] = [:]
    /// In the order in which they were added.
    var access: [AccessRecord] = []
}

/// Works on a copy of the contents, which takes the place of the original if nothing was thrown.
final class MemoryTransaction: AliasTransaction {
    var contents: MemoryContents
    private let storeTime: Int64?
    /// Rows that were gone through.
    private(set) var walked = 0

    init(_ contents: MemoryContents, time: Int64? = nil) {
        self.contents = contents
        storeTime = time
    }

    func time() -> Int64? { storeTime }
    func vaultID() -> [UInt8]? { contents.vaultID }
    func keys() -> [KeyRecord] { contents.keys.values.sorted { $0.id < $1.id } }
    func entry(alias: String) -> AliasEntry? {
        let alias = contents.misleading[Array(alias.utf8)] ?? alias
        guard let owner = contents.owners[Array(alias.utf8)],
            let record = contents.aliases[owner]?.first(where: { $0.alias.alias.utf8.elementsEqual(alias.utf8) })
        else { return nil }
        return AliasEntry(alias: record, value: contents.values[record.value])
    }
    func value(fingerprint: Fingerprint) -> ValueRecord? {
        contents.fingerprints[contents.misleadingFingerprints[fingerprint] ?? fingerprint].flatMap {
            contents.values[$0]
        }
    }
    func aliases(of value: Int64) -> [AliasRecord] { contents.aliases[value] ?? [] }
    func holds(alias: String) -> Bool { contents.owners[Array(alias.utf8)] != nil }
    func aliases(amongPossibleNumbers texts: [String]) -> [String] { texts.filter { holds(alias: $0) } }

    func visitAliases(prefix: String, _ visit: (String) -> Void) {
        for alias in contents.owners.keys where alias.starts(with: prefix.utf8) {
            visit(String(decoding: alias, as: UTF8.self))
        }
    }
    func values(after id: Int64, through last: Int64, notSealedUnder key: Int64, limit: Int) -> ValuePage {
        var found: [ValueRecord] = []
        for record in contents.values.values.filter({ $0.id > id && $0.id <= last }).sorted(by: { $0.id < $1.id })
        where found.count < limit {
            walked += 1
            if record.keyID != key { found.append(record) }
        }
        return page(found)
    }
    func keySpans(ofValuesAfter id: Int64, count: Int) -> [KeySpan] {
        let step = contents.values.values.filter { $0.id > id }.sorted { $0.id < $1.id }.prefix(count)
        return Dictionary(grouping: step, by: \.keyID).map { key, records in
            KeySpan(key: key, first: records.first?.id ?? 0, last: records.last?.id ?? 0, count: records.count)
        }
    }
    private func page(_ records: some Sequence<ValueRecord>) -> ValuePage {
        var page = ValuePage()
        for record in records { page.add(record.id, expiresAt: record.expiresAt, record) }
        return page
    }
    func lastValueID() -> Int64 { contents.values.keys.max() ?? 0 }
    func values(expiringBy time: Int64, after cursor: ExpiryCursor, limit: Int) -> ValuePage {
        let expired = contents.values.values.compactMap { record in record.expiresAt.map { ($0, record.id, record) } }
        let due = expired.filter { $0.0 <= time && ($0.0, $0.1) > (cursor.expiresAt, cursor.id) }
        return page(due.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.prefix(limit).map(\.2))
    }
    func anchor(of log: Int64) -> AuditAnchor? { contents.anchors[log] }
    func hasRecords(sealedUnder key: Int64, afterValue value: Int64, afterResponse response: [UInt8]) -> Bool {
        let values = contents.values.values.filter { $0.id > value }
        let responses = contents.responses.values.filter { response.lexicographicallyPrecedes($0.name) }
        walked += values.count + responses.count
        return values.contains { $0.keyID == key } || responses.contains { $0.keyID == key }
    }
    func response(_ name: [UInt8]) -> ResponseRecord? { contents.responses[name] }
    func responses(
        after cursor: [UInt8], notSealedUnder key: Int64, limit: Int
    ) -> (records: [ResponseRecord], next: [UInt8]?) {
        let behind = contents.responses.values.filter { cursor.lexicographicallyPrecedes($0.name) }
        let page = Array(behind.sorted { $0.name.lexicographicallyPrecedes($1.name) }.prefix(limit))
        return (page.filter { $0.keyID != key }, page.count == limit ? page.last?.name : nil)
    }

    func responseTotals() -> ResponseTotals {
        ResponseTotals(
            count: contents.responses.count, bytes: contents.responses.values.reduce(0) { $0 + $1.sealed.count })
    }
    func replace(_ response: ResponseRecord) { contents.responses[response.name] = response }
    func insert(_ response: ResponseRecord) -> Bool {
        guard contents.responses[response.name] == nil else { return false }
        contents.responses[response.name] = response
        return true
    }
    func delete(response name: [UInt8], sealed: [UInt8]) -> Bool {
        guard contents.responses[name]?.sealed == sealed else { return false }
        contents.responses[name] = nil
        return true
    }
    func deleteResponses(expiringBy time: Int64, limit: Int) -> ResponseTotals {
        let oldest = contents.responses.values.filter { $0.expiresAt <= time }.sorted { $0.expiresAt < $1.expiresAt }
        var removed = ResponseTotals()
        for response in oldest.prefix(limit) {
            contents.responses[response.name] = nil
            removed.count += 1
            removed.bytes += response.sealed.count
        }
        return removed
    }

    func accessRecord(_ kind: AccessRecord.Kind, _ name: [UInt8]) -> AccessRecord? {
        contents.access.first { $0.kind == kind && $0.name == name }
    }
    /// Its clock is the number of rows.
    func accessRecords(_ kind: AccessRecord.Kind, since: Int64?) -> AccessReading {
        AccessReading(records: contents.access.filter { $0.kind == kind }, readAt: Int64(contents.access.count))
    }
    func insert(_ record: AccessRecord) -> Bool {
        guard accessRecord(record.kind, record.name) == nil else { return false }
        contents.access.append(record)
        return true
    }
    func update(_ record: AccessRecord) {
        for index in contents.access.indices
        where contents.access[index].kind == record.kind && contents.access[index].name == record.name {
            contents.access[index] = record
        }
    }
    func deleteAccessRecords(forgottenBy time: Int64, limit: Int) -> Int {
        let old = contents.access.filter { $0.forgottenAt <= time }.prefix(limit)
        contents.access.removeAll { old.contains($0) }
        return old.count
    }

    func insert(vaultID: [UInt8]) { contents.vaultID = vaultID }
    func insert(_ key: KeyRecord) { contents.keys[key.id] = key }
    func update(_ key: KeyRecord) { contents.keys[key.id] = key }
    func delete(key id: Int64) { contents.keys[id] = nil }
    func nextValueID() -> Int64 {
        contents.lastID += 1
        return contents.lastID
    }
    func insert(_ value: ValueRecord) {
        contents.values[value.id] = value
        if let fingerprint = value.fingerprint { contents.fingerprints[fingerprint] = value.id }
    }
    func insert(_ record: AliasRecord) -> Bool {
        guard contents.owners[Array(record.alias.alias.utf8)] == nil else { return false }
        contents.owners[Array(record.alias.alias.utf8)] = record.value
        contents.aliases[record.value, default: []].append(record)
        return true
    }
    func update(_ value: ValueRecord) {
        if let old = contents.values[value.id]?.fingerprint { contents.fingerprints[old] = nil }
        insert(value)
    }
    func replace(_ anchor: AuditAnchor) { contents.anchors[anchor.log] = anchor }
    func delete(alias: String) {
        guard let value = contents.owners.removeValue(forKey: Array(alias.utf8)) else { return }
        contents.aliases[value]?.removeAll { $0.alias.alias == alias }
    }
    func delete(value id: Int64) {
        guard let record = contents.values.removeValue(forKey: id) else { return }
        contents.aliases[id] = nil
        if let fingerprint = record.fingerprint { contents.fingerprints[fingerprint] = nil }
    }
    func erase(alias: String) {
        guard let value = contents.owners[Array(alias.utf8)] else { return }
        delete(alias: alias)
        if aliases(of: value).isEmpty { delete(value: value) }
    }
    func erase(value id: Int64) -> [String] {
        let names = aliases(of: id).map(\.alias.alias)
        for name in names { delete(alias: name) }
        delete(value: id)
        return names
    }
}
