/// Where persistent values and aliases are kept.
///
/// A store knows nothing of formats, keys, reuse or what a request means: all of that is written once, in `Vault`, over
/// the few steps of `AliasReading` and `AliasTransaction`. A store runs those steps in a transaction, on a thread of its
/// own choosing, and makes them durable. Nor does it check what it reads, beyond the shape of a row: `Sealer` does.
public protocol AliasStore: Sendable {
    /// Whether this process alone changes the store, so that what was read once may be remembered.
    var isExclusive: Bool { get }

    /// Runs `work` in a transaction and returns its result once that is durable. If `work` throws, nothing of it stays
    /// and other requests in the same commit are not affected. `work` may be run again, from the start, when the
    /// transaction could not be completed; it must not wait for anything.
    ///
    /// Throws what `work` throws; `unavailable` if the store cannot commit (disk full), with nothing
    /// stored; `outcomeUnknown` if the commit failed in a way that leaves it open. After the latter a store that keeps some of the
    /// database's state in memory reads that again before it runs anything else.
    ///
    /// - Parameter limit: if the request would wait longer for its turn, it is refused: `overloaded`. Nil for what must not be refused.
    func write<Result: Sendable>(
        within limit: WaitLimit?,
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result

    /// Runs `work` on one consistent state that includes every write that has returned.
    func read<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result

    /// Brings rows of store format 2 into format 3, if there are any; called once, before anything else. Every step of it is
    /// durable by itself, so that it goes on where it was interrupted. Does nothing in a store of format 3.
    ///
    /// - Parameter upgrade: makes the conversion, from the vault's id, the keys of format 2 and those of format 3: none
    ///   when it begins.
    func upgrade(
        _ upgrade: @escaping @Sendable (FormatUpgrade.Source) throws(VaultError) -> FormatUpgrade
    ) async throws(VaultError)

    /// Called once the keys have opened the store: from then on it may finish what an earlier process has left undone. A store that is
    /// refused stays as it was found.
    func hasBeenOpened()
}

extension AliasStore {
    /// A store that has nothing to do then.
    public func hasBeenOpened() {}

    /// As `write(within:_:)`, for what must not be refused.
    public func write<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try await write(within: nil, work)
    }
}
