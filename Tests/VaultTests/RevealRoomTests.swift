import Dispatch
import Sensitive
import Synchronization
import Testing
import VaultTesting

@testable import Vault

/// What one request may reveal is bounded by its bytes, before anything is opened.
@Suite("Room for what is revealed")
struct RevealRoomTests {
    private static let mebibyte = String(repeating: "x", count: 1 << 20)

    private func vault(_ change: (inout VaultConfiguration) -> Void = { _ in }) async throws -> Vault {
        try await memoryVault {
            $0.reuse = false
            change(&$0)
        }
    }

    /// So many aliases of one value.
    private func aliases(_ count: Int, of value: String, _ storage: Storage, in vault: Vault) async throws -> [String] {
        var aliases = [try await vault.alias(.new(value, .uuid, [], storage))]
        while aliases.count < count {
            let references = aliases.prefix(count - aliases.count).map { VaultItem.reference(alias: $0, format: .uuid) }
            aliases += try await vault.create(references).compactMap(\.requested?.alias)
        }
        return aliases
    }

    @Test(arguments: Storage.allCases) func aLookUpIsBounded(storage: Storage) async throws {
        let vault = try await vault()
        let most = Vault.lookUpRoom / Self.mebibyte.utf8.count
        let aliases = try await aliases(most + 1, of: Self.mebibyte, storage, in: vault)
        #expect(try await vault.lookUp(Array(aliases.prefix(most))).count == most)
        await #expect(throws: VaultError.revealTooLarge(limit: Vault.lookUpRoom)) { try await vault.lookUp(aliases) }
    }

    /// The first has room whatever its size: what was stored under a larger limit on bodies can be revealed.
    @Test(arguments: Storage.allCases) func aRevealIsBounded(storage: Storage) async throws {
        let vault = try await vault()
        let large = String(repeating: "y", count: Vault.revealRoom / 2 - (1 << 10))
        let aliases = try await aliases(3, of: large, storage, in: vault)
        #expect(try await vault.reveal(Array(aliases.prefix(2))).count == 2)
        await #expect(throws: VaultError.revealTooLarge(limit: Vault.revealRoom)) { try await vault.reveal(aliases) }
        let larger = try await vault.alias(.new(large + large + large, .uuid, [], storage))
        #expect(try await vault.reveal([larger]).count == 1)
        await #expect(throws: VaultError.revealTooLarge(limit: Vault.revealRoom)) {
            try await vault.reveal([larger, aliases[0]])
        }
    }

    /// Notes what is asked for.
    private final class Share: RevealShare {
        let asked = Mutex<[Int]>([])
        private let room: Int

        init(_ room: Int) { self.room = room }

        func grow(to bytes: Int) -> Bool {
            asked.withLock { $0.append(bytes) }
            return bytes <= room
        }
    }

    /// What one request opens has room among that of others, before it is opened; references do, before anything is stored.
    @Test(arguments: Storage.allCases) func theRoomOfAllRequestsIsAsked(storage: Storage) async throws {
        let vault = try await vault()
        let aliases = try await aliases(3, of: String(repeating: "x", count: 100_000), storage, in: vault)
        let items = aliases.map { VaultItem.reference(alias: $0, format: .uuid) }
        let calls: [@Sendable (Share) async throws -> Int] = [
            { try await vault.reveal(aliases, of: $0).count }, { try await vault.references(in: items, of: $0).count },
        ]
        for call in calls {
            let share = Share(310_000)
            #expect(try await call(share) == 3)
            let asked = share.asked.withLock { $0 }
            #expect(asked.count == 3 && asked == asked.sorted() && asked[0] >= 100_000 && asked[2] >= 300_000)
            await #expect(throws: VaultError.revealsBusy) { _ = try await call(Share(250_000)) }
        }
    }

    /// A value is returned with all of its aliases, by a reveal and to a reference.
    @Test(arguments: Storage.allCases) func allAliasesOfAValueCount(storage: Storage) async throws {
        let vault = try await vault()
        let aliases = try await aliases(100, of: "1", storage, in: vault)
        let (revealing, referencing) = (Share(.max), Share(.max))
        _ = try await vault.reveal([aliases[99]], of: revealing)
        _ = try await vault.references(in: [.reference(alias: aliases[99], format: .uuid)], of: referencing)
        let asked = revealing.asked.withLock { $0 }
        #expect(asked.count == 1 && asked[0] >= aliases.reduce(0) { $0 + $1.utf8.count })
        #expect(referencing.asked.withLock { $0 } == asked)
    }

    /// Values that references return have the room of a reveal.
    @Test(arguments: Storage.allCases) func referencesAreBounded(storage: Storage) async throws {
        let vault = try await vault()
        let large = String(repeating: "y", count: Vault.revealRoom / 2 - (1 << 10))
        let aliases = try await aliases(3, of: large, storage, in: vault)
        let items = aliases.map { VaultItem.reference(alias: $0, format: .uuid) }
        #expect(try await vault.references(in: Array(items.prefix(2))).count == 2)
        await #expect(throws: VaultError.revealTooLarge(limit: Vault.revealRoom)) {
            try await vault.references(in: items)
        }
    }

    /// Values of both storages share the room, and classifiers take some of it.
    @Test func everythingCounts() async throws {
        let vault = try await vault()
        var room = [try await aliases(8, of: Self.mebibyte, .volatile, in: vault)]
        room.append(try await aliases(8, of: Self.mebibyte, .persistent, in: vault))
        #expect(try await vault.lookUp(room.flatMap(\.self)).count == 16)
        for storage in Storage.allCases {
            let small = try await vault.alias(.new("1", .uuid, ["c"], storage))
            await #expect(throws: VaultError.revealTooLarge(limit: Vault.lookUpRoom)) {
                try await vault.lookUp(room.flatMap(\.self) + [small])
            }
        }
        let labelled = try await vault.alias(.new("1", .uuid, [String(repeating: "c", count: 1_024)], .persistent))
        let value = try await vault.alias(.new(String(repeating: "z", count: (1 << 20) - 512), .uuid))
        let rest = Array(room.flatMap(\.self).dropLast())
        #expect(try await vault.lookUp(rest + [value]).count == 16)
        await #expect(throws: VaultError.self) { try await vault.lookUp(rest + [value, labelled]) }
    }

    @Test(arguments: Storage.allCases) func aValueIsOpenedOnce(storage: Storage) async throws {
        let vault = try await vault()
        let aliases = try await aliases(3, of: String(repeating: "x", count: 10_000), storage, in: vault)
        let texts = try await vault.lookUp(aliases).values.map(\.value)
        let revealed = try await vault.reveal(aliases).map(\.stored.value)
        for values in [texts, revealed] {
            let places = values.map { value in
                value.exposed.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) }
            }
            #expect(places.count == 3 && Set(places).count == 1)
        }
    }

    /// Counts what is put on it.
    private final class LargeValues: TaskExecutor {
        let jobs = Atomic(0)
        private let queue = DispatchQueue(label: "large values")

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.add(1, ordering: .relaxed)
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Those of the database are opened by the reader's thread when they are looked up.
    @Test func largeValuesAreOpenedElsewhere() async throws {
        let executor = LargeValues()
        let vault = try await vault { $0.largeValues = { executor } }
        let large = String(repeating: "x", count: 100_000)
        for storage in Storage.allCases {
            let (small, large) = (
                try await vault.alias(.new("1", .uuid, [], storage)),
                try await vault.alias(.new(large, .uuid, [], storage))
            )
            let calls: [(large: Bool, of: String, call: @Sendable (String) async throws -> Void)] = [
                (storage == .volatile, "look-up", { _ = try await vault.lookUp([$0]) }),
                (true, "reveal", { _ = try await vault.reveal([$0]) }),
            ]
            for (isMoved, name, call) in calls {
                let before = executor.jobs.load(ordering: .relaxed)
                try await call(small)
                #expect(executor.jobs.load(ordering: .relaxed) == before, "\(name) \(storage)")
                try await call(large)
                #expect((executor.jobs.load(ordering: .relaxed) > before) == isMoved, "\(name) \(storage)")
            }
        }
    }
}
