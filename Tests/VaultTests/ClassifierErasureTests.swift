import Sensitive
import Synchronization
import Testing
import VaultTesting

@testable import Vault

@Suite("Erasure by classifier") struct ClassifierErasureTests {
    private let store = MemoryAliasStore()

    /// A vault with 600 values, every third of customer 17.
    private func filled() async throws -> Vault {
        let vault = try await memoryVault(store)
        for number in 0..<600 {
            _ = try await vault.create([.new("x\(number)", .uuid, [number % 3 == 0 ? "customer-17" : "customer-1"])])
        }
        return vault
    }

    private func begin(_ vault: Vault, _ classifier: String = "customer-17", storage: Storage? = nil) async throws
        -> Erasure
    {
        try await vault.beginErasure(classifier: classifier, storage: storage, requestID: "r1", credential: "dev")
    }

    private func left(_ classifier: String) async throws -> Int {
        try await store.read { (reading) throws(VaultError) in
            try reading.values(after: 0, notSealedUnder: 0, limit: 10_000).records
                .count { $0.classifiers.contains(classifier) }
        }
    }

    /// Runs one step a process, each opened again, as after a restart.
    @Test func itGoesOnInAnotherProcess() async throws {
        let begun = try await begin(filled())
        #expect(begun.count == 200 && begun.values == 0 && begun.finishedAt == nil)
        var steps = 0
        var last = begun
        while last.finishedAt == nil {
            let vault = try await memoryVault(store)
            #expect(try await vault.openErasures() == [begun.id])
            let before = last
            last = try #require(try await vault.advance(erasure: begun.id))
            #expect(last.values > before.values || last.finishedAt != nil)
            #expect(try await vault.erasure(begun.id) == last)
            steps += 1
        }
        #expect(steps == 3 && last.values == 200 && last.aliases == 200 && last.damaged == 0)
        #expect(last.requestID == "r1" && last.credential == "dev")
        #expect(try await left("customer-17") == 0)
        #expect(try await left("customer-1") == 400)
        let vault = try await memoryVault(store)
        #expect(try await vault.openErasures() == [])
        #expect(try await vault.advance(erasure: begun.id) == nil)
        #expect(try await vault.erasure("unknown") == nil)
    }

    /// The reuse cache must not answer with an alias that is gone.
    @Test func anErasedValueIsStoredAgain() async throws {
        let vault = try await memoryVault(store)
        let item = VaultItem.new("x", .uuid, ["customer-17"])
        let old = try await vault.alias(item)
        let begun = try await begin(vault)
        while let erasure = try await vault.advance(erasure: begun.id), erasure.finishedAt == nil {}
        let new = try await vault.alias(item)
        #expect(new != old)
        #expect(await vault.value(new) == "x")
    }

    /// With the reuse cache and without.
    @Test(arguments: [0, 1_000]) func storedMeanwhile(cached: Int) async throws {
        let vault = try await memoryVault(store) { $0.reuseCacheCapacity = cached }
        #expect(try await OpenErasureRun(vault).faults() == [])
        #expect(try await OpenErasureRun(vault).refusesWhatWaits())
        #expect(try await OpenErasureRun(vault).lostInMixedRequests() == [])
    }

    /// What is read of values without a write must know of erasures, too.
    @Test func sharedStoresLookFirst() async throws {
        let shared = HookedStore(store, isExclusive: false)
        let vaults = [try await openVault(shared), try await openVault(shared)]
        #expect(try await OpenErasureRun(vaults[0], beside: vaults[1]).faults() == [])
        #expect(try await OpenErasureRun(vaults[0], beside: vaults[1]).refusesWhatWaits())
        #expect(try await OpenErasureRun(vaults[0], beside: vaults[1]).lostInMixedRequests() == [])
    }

    @Test func whatIsStoredLaterStays() async throws {
        let vault = try await filled()
        let begun = try await begin(vault)
        _ = try await vault.create([.new("later", .uuid, ["customer-17"])])
        while let erasure = try await vault.advance(erasure: begun.id), erasure.finishedAt == nil {}
        #expect(try await left("customer-17") == 1)
        #expect(try await begin(vault).count == 1)
    }

    /// Of two processes that go on at the same time one has done the step.
    @Test func twoProcesses() async throws {
        let vaults = [try await filled(), try await memoryVault(store)]
        let begun = try await begin(vaults[0])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let vault = vaults[number % 2]
                group.addTask {
                    while try await vault.erasure(begun.id)?.finishedAt == nil {
                        _ = try await vault.advance(erasure: begun.id)
                    }
                }
            }
            try await group.waitForAll()
        }
        let done = try #require(try await vaults[1].erasure(begun.id))
        #expect(done.values == 200 && done.finishedAt != nil)
        #expect(try await left("customer-17") == 0)
    }

    /// Another process has done the step between this one's look at it and its own.
    @Test func aStepIsDoneOnce() async throws {
        let other = try await filled()
        let hooked = HookedStore(store)
        var configuration = VaultConfiguration()
        configuration.clock = TestClock().clock
        let vault = try await Vault.open(configuration, masterKey: masterKey(), store: hooked)
        let begun = try await begin(other)
        hooked.beforeNextWrite { _ = try? await other.advance(erasure: begun.id) }
        #expect(try await vault.advance(erasure: begun.id) == nil)
        let after = try #require(try await vault.erasure(begun.id))
        let left = try await left("customer-17")
        #expect(after.values > 0 && after.values == begun.count - left)
        #expect(try await vault.advance(erasure: begun.id) != nil)
    }

    @Test func volatileValuesGoAtOnce() async throws {
        let vault = try await memoryVault(store)
        let alias = try await vault.alias(.new("v", .uuid, ["customer-17"], .volatile))
        _ = try await vault.create([.reference(alias: alias, format: .rawUUID)])
        _ = try await vault.create([.new("p", .uuid, ["customer-17"])])
        let erasure = try await begin(vault, storage: .volatile)
        #expect(erasure.count == 1 && erasure.values == 1 && erasure.aliases == 2 && erasure.finishedAt != nil)
        #expect(await vault.value(alias) == nil)
        #expect(try await left("customer-17") == 1)
        #expect(try await begin(vault, storage: .persistent).count == 1)
    }

    /// A value whose row was changed may carry the classifier or not: it stays, and is counted.
    @Test func damagedValues() async throws {
        let vault = try await filled()
        try await store.write { (transaction) throws(VaultError) in
            let records = try transaction.values(after: 0, notSealedUnder: 0, limit: 10).records
            for var record in records {
                record.classifiers = ["customer-99"]
                try transaction.update(record)
            }
        }
        let begun = try await begin(vault)
        var last = begun
        while last.finishedAt == nil { last = try #require(try await vault.advance(erasure: begun.id)) }
        #expect(last.damaged == 10 && last.values == 196 && last.count == 196)
    }

    /// The record of one erasure is damaged: the other one is known all the same.
    @Test func aDamagedRecordHidesNoOther() async throws {
        let vault = try await memoryVault(store)
        let old = try await vault.alias(.new("x", .uuid, ["customer-17"]))
        let begun = [
            try await begin(vault, "customer-1"), try await begin(vault), try await begin(vault, "customer-2"),
        ]
        let notes = try ErasureNotes(root: vault.key(for: .responses))
        for damaged in [begun[0], begun[2]] {
            let name = try notes.name(damaged.id)
            try await store.write { (transaction) throws(VaultError) in
                guard let record = try transaction.response(name) else { return }
                try transaction.replace(
                    ResponseRecord(
                        name: name, keyID: record.keyID, sealed: record.sealed + [0], expiresAt: record.expiresAt))
            }
        }
        let again = try await vault.alias(.new("x", .uuid, ["customer-17"]))
        #expect(again != old)
        while let erasure = try await vault.advance(erasure: begun[1].id), erasure.finishedAt == nil {}
        #expect(await vault.value(again) == "x")
    }

    @Test func thereIsALimit() async throws {
        let vault = try await memoryVault(store)
        for number in 0..<64 { _ = try await begin(vault, "c\(number)") }
        await #expect(throws: VaultError.self) { try await begin(vault, "one more") }
    }

    /// What cannot be stored is not begun: not even volatile values go, which are not in the store.
    @Test(arguments: ["limit", "store"], [Storage.volatile, nil])
    func aRefusalErasesNothing(reason: String, storage: Storage?) async throws {
        let vault = try await memoryVault(store)
        let alias = try await vault.alias(.new("321", .uuid, ["customer-17"], .volatile))
        if reason == "limit" { for number in 0..<64 { _ = try await begin(vault, "c\(number)") } }
        if reason == "store" { store.setFaults { $0 ? .refused : nil } }
        await #expect(throws: VaultError.self) { try await begin(vault, storage: storage) }
        store.setFaults(nil)
        #expect(await vault.value(alias) == "321")
        #expect(vault.metrics.deleted == 0)
    }

    /// The process ends, or its store fails, between the beginning of an erasure and the end of its first step.
    @Test(arguments: [Storage.volatile, nil]) func theFirstStepIsDoneLater(storage: Storage?) async throws {
        let vault = try await memoryVault(store)
        let alias = try await vault.alias(.new("321", .uuid, ["customer-17"], .volatile))
        // The first of all stores how far its key may be used, too.
        _ = try await vault.create([.new("p")])
        let writes = Atomic(0)
        store.setFaults { $0 && writes.wrappingAdd(1, ordering: .relaxed).oldValue == 1 ? .refused : nil }
        let begun = try await begin(vault, storage: storage)
        #expect(begun.finishedAt == nil && begun.values == 0)
        #expect(await vault.value(alias) == nil)
        var last = begun
        while last.finishedAt == nil { last = try #require(try await vault.advance(erasure: begun.id)) }
        #expect(try await vault.openErasures() == [])
        #expect(try await vault.advance(erasure: begun.id) == nil)
    }

    /// Neither the classifier nor who asked can be read from the database.
    @Test func recordsAreSealed() async throws {
        let vault = try await filled()
        let begun = try await begin(vault)
        let name = try ErasureNotes(root: vault.key(for: .responses)).name(begun.id)
        let record = try #require(
            try await store.read { (reading) throws(VaultError) in try reading.response(name) })
        #expect(!record.sealed.contains(sequence: Array("customer".utf8)))
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        count >= sequence.count && (0...count - sequence.count).contains { self[$0...].starts(with: sequence) }
    }
}
