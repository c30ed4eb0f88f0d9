import Testing
import VaultTesting

@testable import Vault

@Suite struct AnswerTests {
    private static func name(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    @Test func anAnswerIsKeptForItsTime() async throws {
        let clock = TestClock()
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store, clock: clock)
        try await vault.keep([1, 2, 0xFF], orAtLeast: [0], under: Self.name(1), for: 10)
        try await vault.keep([], orAtLeast: [0], under: Self.name(2), for: 20)
        #expect(try await vault.answer(under: Self.name(1)) == [1, 2, 0xFF])
        #expect(try await vault.answer(under: Self.name(2)) == [])
        #expect(try await vault.answer(under: Self.name(3)) == nil)
        clock.advance(milliseconds: 10_000)
        #expect(try await vault.answer(under: Self.name(1)) == nil)
        #expect(try await vault.answerTotals().count == 2)
        try await vault.sweepAnswers()
        #expect(try await vault.answerTotals().count == 1)
        #expect(try await store.read { (reading) throws(VaultError) in try reading.answerTotals().count } == 1)
        try await vault.keep([7], orAtLeast: [0], under: Self.name(2), for: 20)
        #expect(try await vault.answer(under: Self.name(2)) == [7])
        #expect(try await vault.answerTotals() == AnswerTotals(count: 1, bytes: 1 + 28))
    }

    @Test func theOldestMakeRoom() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.answerCapacity = 3 }
        for number in 0..<10 as Range<UInt8> {
            clock.advance(milliseconds: 1_000)
            try await vault.keep([number], orAtLeast: [0], under: Self.name(number), for: 100)
            #expect(try await vault.answerTotals().count <= 3)
            #expect(try await vault.answer(under: Self.name(number)) == [number])
        }
    }

    /// Whoever fills the room takes nobody's answer away: of theirs it is known that it was given.
    @Test func fullRoomKeepsTraces() async throws {
        let vault = try await memoryVault { $0.answerBytes = 200 }
        let answer = [UInt8](repeating: 1, count: 40)
        for number in 0..<10 as Range<UInt8> {
            try await vault.keep(answer, orAtLeast: [number], under: Self.name(number), for: 100)
        }
        for number in 0..<10 as Range<UInt8> {
            #expect(try await vault.answer(under: Self.name(number)) == (number < 3 ? answer : [number]))
        }
    }

    @Test func answersStayReadableWhenKeysChange() async throws {
        let vault = try await memoryVault()
        try await vault.keep([5], orAtLeast: [0], under: Self.name(1), for: 100)
        try await vault.rotateKey()
        var cursor: Int64? = 0
        while let position = cursor { cursor = try await vault.rewrap(after: position) }
        #expect(try await vault.answer(under: Self.name(1)) == [5])
    }

    @Test func anAnswerCannotBeMovedOrChanged() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        try await vault.keep([5, 6, 7], orAtLeast: [0], under: Self.name(1), for: 100)
        try await store.write { (transaction) throws(VaultError) in
            guard let record = try transaction.answer(Self.name(1)) else { return }
            var changed = record.sealed
            changed[14] ^= 1
            for (name, sealed) in [(Self.name(2), record.sealed), (Self.name(3), changed)] {
                try transaction.replace(
                    AnswerRecord(name: name, keyID: record.keyID, sealed: sealed, expiresAt: record.expiresAt))
            }
        }
        for number in 2...3 as ClosedRange<UInt8> {
            await #expect(throws: VaultError.self) { try await vault.answer(under: Self.name(number)) }
        }
    }
}
