import Synchronization
import Vault
import VaultTesting

/// A store in memory whose next write is preceded by something else, or whose next read is followed by something, or that runs each write
/// twice, as a store does whose transaction had to give way.
final class HookedStore: AliasStore {
    let isExclusive: Bool
    private let hook = Mutex<(@Sendable () async -> Void)?>(nil)
    private let readHook = Mutex<(@Sendable () async -> Void)?>(nil)
    private let runsTwice: Bool
    private let inner: MemoryAliasStore

    /// - Parameter runsTwice: whether each write is run, taken back and run again.
    init(_ inner: MemoryAliasStore, isExclusive: Bool = true, runsTwice: Bool = false) {
        self.inner = inner
        self.isExclusive = isExclusive
        self.runsTwice = runsTwice
    }

    /// Runs this once, before the next write.
    func beforeNextWrite(_ hook: @escaping @Sendable () async -> Void) { self.hook.withLock { $0 = hook } }

    /// Runs this once, behind the next read, before its caller goes on.
    func afterNextRead(_ hook: @escaping @Sendable () async -> Void) { readHook.withLock { $0 = hook } }

    func write<Result: Sendable>(
        within limit: WaitLimit?,
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        if let hook = hook.withLock({ $0.take() }) { await hook() }
        if runsTwice {
            _ = try? await inner.write(within: limit) { (transaction) throws(VaultError) -> Result in
                _ = try work(transaction)
                throw .unavailable("run again")
            }
        }
        return try await inner.write(within: limit, work)
    }

    func read<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        let result = try await inner.read(work)
        if let hook = readHook.withLock({ $0.take() }) { await hook() }
        return result
    }

    func upgrade(
        _ upgrade: @escaping @Sendable (FormatUpgrade.Source) throws(VaultError) -> FormatUpgrade
    ) async throws(VaultError) {}
}
