import Synchronization
import Testing
import VaultTesting

@testable import Vault

@Suite struct RecallRateTests {
    @Test func looksStopPayingAndPayAgain() {
        let rate = RecallRate()
        for _ in 0..<40 {
            #expect(rate.pays())
            rate.note(found: false)
            rate.note(found: true)
        }
        for _ in 0..<64 { rate.note(found: false) }
        // One in 64 goes on looking.
        #expect((0..<640).count { _ in rate.pays() } == 10)
        for _ in 0..<32 { rate.note(found: true) }
        #expect((0..<640).allSatisfy { _ in rate.pays() })
    }

    /// A shared vault that takes new values looks seldom, counts each read, and gives equal values equal aliases all the same.
    @Test func aSharedVaultLooksWhereItPays() async throws {
        let inner = MemoryAliasStore()
        let reads = Counting()
        let store = HookedStore(inner, isExclusive: false)
        let vault = try await Vault.open(VaultConfiguration(), masterKey: masterKey(), store: store)
        inner.setFaults { isWriting in
            if !isWriting { reads.add() }
            return nil
        }
        var aliases: [String] = []
        for number in 0..<400 { aliases.append(try await vault.alias(.new("value \(number)"))) }
        #expect(Set(aliases).count == 400)
        let early = reads.count
        #expect(early < 80)
        for number in 0..<40 { #expect(try await vault.alias(.new("value \(number)")) == aliases[number]) }
        #expect(reads.count - early <= 1)
    }

    /// While nothing can be written, the aliases of stored values are told as before; what is new is refused.
    @Test func whatIsStoredIsToldOnAFullDisk() async throws {
        let inner = MemoryAliasStore()
        let store = HookedStore(inner, isExclusive: false)
        let vault = try await Vault.open(VaultConfiguration(), masterKey: masterKey(), store: store)
        for _ in 0..<64 { vault.recalls.note(found: false) }
        let alias = try await vault.alias(.new("stored"))
        inner.setFaults { isWriting in isWriting ? .refused : nil }
        for _ in 0..<3 { #expect(try await vault.alias(.new("stored")) == alias) }
        await #expect(throws: VaultError.unavailable("refused")) { try await vault.alias(.new("new")) }
        // What may have been done is not done again.
        inner.setFaults { isWriting in isWriting ? .unknown : nil }
        await #expect(throws: VaultError.outcomeUnknown("lost")) { try await vault.alias(.new("stored")) }
    }
}

private final class Counting: Sendable {
    private let counted = Atomic(0)
    var count: Int { counted.load(ordering: .relaxed) }
    func add() { counted.wrappingAdd(1, ordering: .relaxed) }
}
