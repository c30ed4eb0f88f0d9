import Synchronization
public import Vault

/// A store in memory that forgets everything with the process, for tests.
public final class MemoryAliasStore: AliasStore {
    public let isExclusive = true
    private let contents = Mutex(MemoryContents())

    /// An empty store.
    public init() {}

    public func write<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try contents.withLock { (contents) throws(VaultError) -> Result in
            let transaction = MemoryTransaction(contents)
            let result = try work(transaction)
            contents = transaction.contents
            return result
        }
    }

    public func read<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try contents.withLock { (contents) throws(VaultError) -> Result in try work(MemoryTransaction(contents)) }
    }
}

/// Everything that a `MemoryAliasStore` holds.
struct MemoryContents: Sendable {
    var vaultID: [UInt8]?
    var keys: [Int64: WrappedKey] = [:]
    var values: [Int64: ValueRecord] = [:]
    var fingerprints: [Fingerprint: Int64] = [:]
    /// By the bytes of the alias: texts that Swift takes for the same are two.
    var owners: [[UInt8]: Int64] = [:]
    var aliases: [Int64: [Alias]] = [:]
    var lastID: Int64 = 0
    var answers: [[UInt8]: AnswerRecord] = [:]
}

/// Works on a copy of the contents, which takes the place of the original if nothing was thrown.
final class MemoryTransaction: AliasTransaction {
    var contents: MemoryContents

    init(_ contents: MemoryContents) {
        self.contents = contents
    }

    func vaultID() -> [UInt8]? { contents.vaultID }
    func keys() -> [WrappedKey] { contents.keys.values.sorted { $0.id < $1.id } }
    func value(alias: String) -> ValueRecord? { contents.owners[Array(alias.utf8)].flatMap { contents.values[$0] } }
    func value(fingerprint: Fingerprint) -> ValueRecord? {
        contents.fingerprints[fingerprint].flatMap { contents.values[$0] }
    }
    func aliases(of value: Int64) -> [Alias] { contents.aliases[value] ?? [] }
    func holds(alias: String) -> Bool { contents.owners[Array(alias.utf8)] != nil }
    func visitAliases(prefix: String, _ visit: (String) -> Void) {
        for alias in contents.owners.keys where alias.starts(with: prefix.utf8) {
            visit(String(decoding: alias, as: UTF8.self))
        }
    }
    func values(after id: Int64, notSealedBy key: Int64, limit: Int) -> [ValueRecord] {
        let records = contents.values.values.filter { $0.id > id && $0.keyID != key }
        return Array(records.sorted { $0.id < $1.id }.prefix(limit))
    }
    func hasValues(sealedBy key: Int64) -> Bool {
        contents.values.values.contains { $0.keyID == key } || contents.answers.values.contains { $0.keyID == key }
    }
    func answer(_ name: [UInt8]) -> AnswerRecord? { contents.answers[name] }
    func answerTotals() -> AnswerTotals {
        AnswerTotals(
            count: contents.answers.count, bytes: contents.answers.values.reduce(0) { $0 + $1.sealed.count })
    }
    func replace(_ answer: AnswerRecord) { contents.answers[answer.name] = answer }
    func insert(_ answer: AnswerRecord) -> Bool {
        guard contents.answers[answer.name] == nil else { return false }
        contents.answers[answer.name] = answer
        return true
    }
    func delete(answer name: [UInt8], sealed: [UInt8]) -> Bool {
        guard contents.answers[name]?.sealed == sealed else { return false }
        contents.answers[name] = nil
        return true
    }
    func deleteAnswers(expiringBy time: Int64, limit: Int) -> AnswerTotals {
        let oldest = contents.answers.values.filter { $0.expiresAt <= time }.sorted { $0.expiresAt < $1.expiresAt }
        var removed = AnswerTotals()
        for answer in oldest.prefix(limit) {
            contents.answers[answer.name] = nil
            removed.count += 1
            removed.bytes += answer.sealed.count
        }
        return removed
    }

    func insert(vaultID: [UInt8]) { contents.vaultID = vaultID }
    func insert(_ key: WrappedKey) { contents.keys[key.id] = key }
    func update(_ key: WrappedKey) { contents.keys[key.id] = key }
    func delete(key id: Int64) { contents.keys[id] = nil }
    func nextValueID() -> Int64 {
        contents.lastID += 1
        return contents.lastID
    }
    func insert(_ value: ValueRecord) {
        contents.values[value.id] = value
        if let fingerprint = value.fingerprint { contents.fingerprints[fingerprint] = value.id }
    }
    func insert(_ alias: Alias, value: Int64) -> Bool {
        guard contents.owners[Array(alias.alias.utf8)] == nil else { return false }
        contents.owners[Array(alias.alias.utf8)] = value
        contents.aliases[value, default: []].append(alias)
        return true
    }
    func update(_ value: ValueRecord) { contents.values[value.id] = value }
    func delete(alias: String) {
        guard let value = contents.owners.removeValue(forKey: Array(alias.utf8)) else { return }
        contents.aliases[value]?.removeAll { $0.alias == alias }
    }
    func delete(value id: Int64) {
        guard let record = contents.values.removeValue(forKey: id) else { return }
        contents.aliases[id] = nil
        if let fingerprint = record.fingerprint { contents.fingerprints[fingerprint] = nil }
    }
}
