import Synchronization
import Testing
import VaultTesting

@testable import Vault

@Suite("Opening")
struct OpeningTests {
    /// Another process makes the vault, with a value in it, between two looks at the store.
    @Test func aVaultThatIsMadeMeanwhileIsOpened() async throws {
        let inner = MemoryAliasStore()
        let store = InterruptedStore(inner) { _ = try? await memoryVault(inner).alias(.new("x")) }
        let vault = try await Vault.open(VaultConfiguration(), masterKey: masterKey(), store: store)
        #expect(store.wasInterrupted)
        let alias = try await vault.alias(.new("x"))
        #expect(await (try memoryVault(inner)).value(alias) == "x")
    }

    /// New keys would open none of them.
    @Test func valuesWithoutKeysAreNoVault() async throws {
        let (full, store) = (MemoryAliasStore(), MemoryAliasStore())
        let alias = try await memoryVault(full).alias(.new("x"))
        let entry = try await full.read { (reading) throws(VaultError) in try reading.entry(alias: alias) }
        let record = try #require(entry?.value)
        try await store.write { (transaction) throws(VaultError) in try transaction.insert(record) }
        await #expect(throws: VaultError.corrupt("there are values, but no keys")) { try await memoryVault(store) }
        let keys = try await store.read { (reading) throws(VaultError) in try reading.keys().count }
        #expect(keys == 0)
    }

    /// A commit of unknown outcome leaves nothing remembered: the store is asked again.
    @Test(arguments: [true, false])
    func unknownOutcomes(isStored: Bool) async throws {
        let inner = MemoryAliasStore()
        let store = UncertainStore(inner)
        let vault = try await Vault.open(VaultConfiguration(), masterKey: masterKey(), store: store)
        let alias = try await vault.alias(.new("x"))
        #expect(try await vault.alias(.new("x")) == alias)
        store.mode.withLock { $0 = isStored ? .storesAndFails : .failsAlone }
        await #expect(throws: VaultError.outcomeUnknown("a sync failed")) { try await vault.delete([alias]) }
        store.mode.withLock { $0 = .works }
        #expect(await vault.value(alias) == (isStored ? nil : "x"))
        let again = try await vault.alias(.new("x"))
        #expect((again == alias) != isStored)
        #expect(await vault.value(again) == "x")
    }

    @Test func theAuditLogsAnchor() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        #expect(try await vault.auditAnchor()?.sequence == nil)
        let code = [UInt8](repeating: 7, count: 32)
        try await vault.anchorAudit(sequence: 5, code: code)
        try await vault.anchorAudit(sequence: 6, code: code)
        let anchor = try #require(try await memoryVault(store).auditAnchor())
        #expect(anchor.sequence == 6 && anchor.code == code)
        #expect(try await vault.auditAnchor(of: 2)?.sequence == nil)
        try await store.write { (transaction) throws(VaultError) in
            guard let anchor = try transaction.anchor(of: 1) else { return }
            try transaction.replace(AuditAnchor(log: 1, sequence: 5, code: anchor.code, tag: anchor.tag))
        }
        await #expect(throws: VaultError.damaged(alias: nil)) { try await vault.auditAnchor() }
    }

    /// Values that were sealed before are found and sealed again, and stay one.
    @Test func aNewFingerprintKey() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let old = try await vault.create((0..<6).map { .new("old \($0)") })
        try await vault.rotateKey(fingerprints: true)
        #expect(try await vault.alias(.new("old 0")) == old[0].aliases[0].alias)
        // What comes after it is under the new keys, without a restart.
        let new = try await vault.create([.new("new")])
        #expect(vault.keyring.active.fingerprint.id == vault.keyring.active.data.id - 1)
        let reopened = try await memoryVault(store)
        #expect(try await reopened.alias(.new("old 1")) == old[1].aliases[0].alias)
        var cursor: Int64? = 0
        while let from = cursor { cursor = try await reopened.rewrap(after: from, batch: 4) }
        let purposes = try await store.read { (reading) throws(VaultError) in try reading.keys().map(\.purpose) }
        #expect(purposes.filter { $0 == .fingerprint }.count == 1 && purposes.filter { $0 == .data }.count == 1)
        #expect(try await reopened.alias(.new("new")) == new[0].aliases[0].alias)
        let last = try await memoryVault(store)
        for (number, stored) in old.enumerated() {
            #expect(try await last.alias(.new("old \(number)")) == stored.aliases[0].alias)
            #expect(await last.value(stored.aliases[0].alias) == "old \(number)")
        }
    }
}

/// Runs something once, after the first read that is a vault's own.
private final class InterruptedStore: AliasStore {
    let isExclusive = true
    private let inner: MemoryAliasStore
    private let interruption: Mutex<(@Sendable () async -> Void)?>

    init(_ inner: MemoryAliasStore, _ interruption: @escaping @Sendable () async -> Void) {
        self.inner = inner
        self.interruption = Mutex(interruption)
    }

    var wasInterrupted: Bool { interruption.withLock { $0 == nil } }

    func write<Result: Sendable>(
        within limit: WaitLimit?,
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result { try await inner.write(within: limit, work) }

    func read<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        let result = try await inner.read(work)
        if let interruption = interruption.withLock({ $0.take() }) { await interruption() }
        return result
    }

    func upgrade(
        _ upgrade: @escaping @Sendable (FormatUpgrade.Source) throws(VaultError) -> FormatUpgrade
    ) async throws(VaultError) {}
}

/// A store whose commits can fail with an unknown outcome.
private final class UncertainStore: AliasStore {
    enum Mode { case works, storesAndFails, failsAlone }

    let isExclusive = true
    let mode = Mutex(Mode.works)
    private let inner: MemoryAliasStore

    init(_ inner: MemoryAliasStore) {
        self.inner = inner
    }

    func write<Result: Sendable>(
        within limit: WaitLimit?,
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        let mode = mode.withLock { $0 }
        if mode == .works { return try await inner.write(within: limit, work) }
        if mode == .storesAndFails { _ = try await inner.write(within: limit, work) }
        throw .outcomeUnknown("a sync failed")
    }

    func read<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result { try await inner.read(work) }

    func upgrade(
        _ upgrade: @escaping @Sendable (FormatUpgrade.Source) throws(VaultError) -> FormatUpgrade
    ) async throws(VaultError) {}
}
