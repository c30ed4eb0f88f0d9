/// Where persistent values and aliases are kept.
///
/// A store knows nothing of formats, keys, reuse or what a request means: all of that is written once, in `Vault`, over
/// the few steps of `AliasReading` and `AliasTransaction`. A store runs those steps in a transaction, on a thread of its
/// own choosing, and makes them durable.
public protocol AliasStore: Sendable {
    /// Whether this process alone changes the store, so that what was read once may be remembered.
    var isExclusive: Bool { get }

    /// Runs `work` in a transaction and returns its result once that is durable. If `work` throws, nothing of it stays
    /// and other requests in the same commit are not touched. `work` may be run again, from the start, when the
    /// transaction could not be completed; it must not wait for anything.
    ///
    /// Throws what `work` throws; `unavailable` if the store cannot commit (disk full, too many waiting), with nothing
    /// stored.
    func write<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result

    /// Runs `work` on one consistent state that has everything that was answered before.
    func read<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result
}

/// The steps of reading.
public protocol AliasReading {
    /// The 16 random bytes that name this vault; `nil` in a store that has none yet.
    func vaultID() throws(VaultError) -> [UInt8]?
    /// All keys, in order of their ids.
    func keys() throws(VaultError) -> [WrappedKey]
    /// The record that this alias stands for.
    func value(alias: String) throws(VaultError) -> ValueRecord?
    /// The record with this fingerprint.
    func value(fingerprint: Fingerprint) throws(VaultError) -> ValueRecord?
    /// All aliases of a value, oldest first.
    func aliases(of value: Int64) throws(VaultError) -> [Alias]
    /// Whether the alias is taken.
    func holds(alias: String) throws(VaultError) -> Bool
    /// Calls `visit` with every alias that begins with `prefix`.
    func visitAliases(prefix: String, _ visit: (String) -> Void) throws(VaultError)
    /// Up to `limit` records with ids above `id`, ascending, that are not sealed under `key`.
    func values(after id: Int64, notSealedBy key: Int64, limit: Int) throws(VaultError) -> [ValueRecord]
    /// The answer kept under this name, expired or not.
    func answer(_ name: [UInt8]) throws(VaultError) -> AnswerRecord?
    /// How many answers there are, and how large they are.
    func answerTotals() throws(VaultError) -> AnswerTotals
    /// Whether any record, or answer, is sealed under `key`.
    func hasValues(sealedBy key: Int64) throws(VaultError) -> Bool
}

/// The steps of writing.
public protocol AliasTransaction: AliasReading {
    /// Names a new vault.
    func insert(vaultID: [UInt8]) throws(VaultError)
    /// Adds a key.
    func insert(_ key: WrappedKey) throws(VaultError)
    /// Replaces a key's wrapped form and its reserved uses.
    func update(_ key: WrappedKey) throws(VaultError)
    /// Removes a key.
    func delete(key id: Int64) throws(VaultError)
    /// An id that no value has.
    func nextValueID() throws(VaultError) -> Int64
    /// Adds a value, which has no alias yet.
    func insert(_ value: ValueRecord) throws(VaultError)
    /// Adds an alias; `false`, and nothing done, if it is taken.
    func insert(_ alias: Alias, value: Int64) throws(VaultError) -> Bool
    /// Replaces a value's classifiers, key id and sealed bytes.
    func update(_ value: ValueRecord) throws(VaultError)
    /// Removes an alias.
    func delete(alias: String) throws(VaultError)
    /// Adds an answer, or puts it in the place of the one of the same name.
    func replace(_ answer: AnswerRecord) throws(VaultError)
    /// Adds an answer; `false`, and nothing done, if there is one of the same name.
    func insert(_ answer: AnswerRecord) throws(VaultError) -> Bool
    /// Removes the answer of this name, if it is still this one; whether it was.
    func delete(answer name: [UInt8], sealed: [UInt8]) throws(VaultError) -> Bool
    /// Removes up to `limit` answers that expire at `time` (Unix seconds) or before, those first that expire first.
    func deleteAnswers(expiringBy time: Int64, limit: Int) throws(VaultError) -> AnswerTotals
    /// Removes a value, which has no alias any more.
    func delete(value id: Int64) throws(VaultError)
}
