import Testing
import VaultTesting

@testable import Vault

@Suite("Stored responses") struct StoredResponseTests {
    private static func name(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    @Test func aResponseIsStoredForItsTime() async throws {
        let clock = TestClock()
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store, clock: clock)
        try await vault.storeResponse([1, 2, 0xFF], under: Self.name(1), for: 10)
        try await vault.storeResponse([], under: Self.name(2), for: 20)
        #expect(try await vault.response(under: Self.name(1)) == [1, 2, 0xFF])
        #expect(try await vault.response(under: Self.name(2)) == [])
        #expect(try await vault.response(under: Self.name(3)) == nil)
        clock.advance(milliseconds: 10_000)
        #expect(try await vault.response(under: Self.name(1)) == nil)
        #expect(try await vault.responseTotals().count == 2)
        try await vault.sweepResponses()
        #expect(try await vault.responseTotals().count == 1)
        #expect(try await store.read { (reading) throws(VaultError) in try reading.responseTotals().count } == 1)
        try await vault.storeResponse([7], under: Self.name(2), for: 20)
        #expect(try await vault.response(under: Self.name(2)) == [7])
        #expect(try await vault.responseTotals() == ResponseTotals(count: 1, bytes: 1 + 40))
    }

    /// A key whose request was certainly not carried out is free again once the store can be written, at once for this process: where the
    /// commit of its claim was cut off, and where the claim could not be removed.
    @Test(arguments: [MemoryAliasStore.Fault.unknown, .refused], [false, true])
    func claimsAreReleasedLater(fault: MemoryAliasStore.Fault, isSwept: Bool) async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let other = try #require(try await vault.claimResponse(Self.name(2), with: [1], for: 100))
        if fault == .unknown {
            store.setFaults { $0 ? fault : nil }
            await #expect(throws: VaultError.outcomeUnknown("lost")) {
                try await vault.claimResponse(Self.name(1), with: [1], for: 100)
            }
        } else {
            let claim = try #require(try await vault.claimResponse(Self.name(1), with: [1], for: 100))
            store.setFaults { $0 ? fault : nil }
            await #expect(throws: VaultError.unavailable("refused")) { try await vault.release(claim) }
            await #expect(throws: VaultError.unavailable("refused")) { try await vault.sweepResponses() }
        }
        store.setFaults(nil)
        if isSwept {
            try await vault.sweepResponses()
            #expect(try await vault.responseTotals().count == 1)
        }
        let again = try #require(try await vault.claimResponse(Self.name(1), with: [2], for: 100))
        #expect(try await vault.responseTotals().count == 2)
        // The claim in the place of the one that is owed is not removed.
        try await vault.sweepResponses()
        #expect(try await vault.response(under: Self.name(1)) == [2])
        for claim in [again, other] { try await vault.release(claim) }
        #expect(try await vault.responseTotals().count == 0)
        #expect(try await store.read { (reading) throws(VaultError) in try reading.responseTotals().count } == 0)
    }

    /// A server may go on with a commit whose connection has broken: a claim that is not there is looked for again, for a quarter of an hour.
    @Test(arguments: [(60, true), (900, true), (961, false)]) func claimsThatComeLate(seconds: Int64, isRemoved: Bool)
        async throws
    {
        let (clock, store) = (TestClock(), MemoryAliasStore())
        let vault = try await memoryVault(store, clock: clock)
        let claim = try #require(try await vault.claimResponse(Self.name(1), with: [1], for: 10_000))
        let record = try #require(
            try await store.read { (reading) throws(VaultError) in try reading.response(Self.name(1)) })
        store.setFaults { $0 ? .cutOff : nil }
        await #expect(throws: VaultError.outcomeUnknown("cut off")) { try await vault.release(claim) }
        store.setFaults(nil)
        func stored(_ isThere: Bool) async throws {
            try await store.write { (transaction) throws(VaultError) in
                _ = try transaction.delete(response: record.name, sealed: record.sealed)
                if isThere { _ = try transaction.insert(record) }
            }
        }
        try await stored(false)
        for _ in 0..<(seconds / 60) {
            try await vault.sweepResponses()
            clock.advance(milliseconds: 60_000)
        }
        clock.advance(milliseconds: seconds % 60 * 1_000)
        if !isRemoved { try await vault.sweepResponses() }
        try await stored(true)
        #expect((try await vault.response(under: Self.name(1)) == nil) == isRemoved)
        try await vault.sweepResponses()
        let left = try await store.read { (reading) throws(VaultError) in try reading.responseTotals().count }
        #expect(left == (isRemoved ? 0 : 1))
    }

    @Test func responsesStayReadableWhenKeysChange() async throws {
        let vault = try await memoryVault()
        try await vault.storeResponse([5], under: Self.name(1), for: 100)
        try await vault.rotateKey()
        var cursor: Int64? = 0
        while let position = cursor { cursor = try await vault.rewrap(after: position) }
        #expect(try await vault.response(under: Self.name(1)) == [5])
    }

    /// `rewrap` ends when nothing is left under the older key, responses included; a damaged one holds its key.
    @Test(arguments: [false, true]) func rewrapSealsResponsesAgain(isDamaged: Bool) async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        for number in 0..<100 as Range<UInt8> {
            try await vault.storeResponse([number], under: Self.name(number), for: 100)
        }
        let old = try #require(try await vault.keyStatus().first).id
        if isDamaged {
            try await store.write { (transaction) throws(VaultError) in
                guard let record = try transaction.response(Self.name(7)) else { return }
                try transaction.replace(
                    ResponseRecord(
                        name: record.name, keyID: record.keyID, sealed: record.sealed.reversed(),
                        expiresAt: record.expiresAt))
            }
        }
        try await vault.rotateKey()
        #expect(try await vault.rewrapRemainder().responses == 100)
        var cursor: Int64? = 0
        while let position = cursor { cursor = try await vault.rewrap(after: position) }
        let remainder = try await vault.rewrapRemainder()
        #expect(remainder.responses == (isDamaged ? 1 : 0) && remainder.keys == (isDamaged ? [old] : []))
        for number in 0..<100 as Range<UInt8> where !isDamaged || number != 7 {
            #expect(try await vault.response(under: Self.name(number)) == [number])
            let record = try await store.read { (reading) throws(VaultError) in try reading.response(Self.name(number))
            }
            #expect(record?.keyID != old)
        }
    }

    @Test func aResponseCannotBeMovedOrChanged() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        try await vault.storeResponse([5, 6, 7], under: Self.name(1), for: 100)
        try await store.write { (transaction) throws(VaultError) in
            guard let record = try transaction.response(Self.name(1)) else { return }
            var changed = record.sealed
            changed[26] ^= 1
            for (name, sealed, later) in [
                (Self.name(2), record.sealed, 0), (Self.name(3), changed, 0), (Self.name(1), record.sealed, 1),
            ] {
                try transaction.replace(
                    ResponseRecord(
                        name: name, keyID: record.keyID, sealed: sealed, expiresAt: record.expiresAt + Int64(later)))
            }
        }
        for number in 1...3 as ClosedRange<UInt8> {
            await #expect(throws: VaultError.damaged(alias: nil)) {
                try await vault.response(under: Self.name(number))
            }
        }
        #expect(vault.metrics.damaged == 3)
    }

    /// Only one of several requests gets the claim, until it is released, used or out of time.
    @Test func aClaimIsGivenOnce() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock)
        let mark: [UInt8] = [9, 9, 9]
        func claim() async throws -> ResponseClaim? {
            try await vault.claimResponse(Self.name(1), with: mark, for: 10)
        }
        let first = try #require(try await claim())
        #expect(try await claim() == nil)
        #expect(try await vault.responseTotals() == ResponseTotals(count: 1, bytes: 3 + 40))
        // Given back: once counts, a second time changes nothing.
        for _ in 0..<2 {
            try await vault.release(first)
            #expect(try await vault.responseTotals() == ResponseTotals())
        }
        // Its time has passed. What its holder left is not the holder's any more.
        let late = try #require(try await claim())
        clock.advance(milliseconds: 9_999)
        #expect(try await claim() == nil)
        clock.advance(milliseconds: 1)
        let next = try #require(try await claim())
        try await vault.release(late)
        #expect(try await vault.response(under: Self.name(1)) == mark)
        #expect(try await vault.responseTotals() == ResponseTotals(count: 1, bytes: 3 + 40))
        // A response in its place is kept: neither the claim's release nor another claim removes it.
        try await vault.storeResponse([5], under: Self.name(1), for: 10)
        try await vault.release(next)
        #expect(try await claim() == nil)
        #expect(try await vault.response(under: Self.name(1)) == [5])
    }

    /// However many have passed, one sweep drops them all, a transaction's share at a time.
    @Test func aSweepGoesOnToTheEnd() async throws {
        let clock = TestClock()
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store, clock: clock)
        for number in 0..<150 as Range<UInt8> {
            try await vault.storeResponse(
                [number], under: Self.name(number), for: number < 140 ? 10 : 20)
        }
        clock.advance(milliseconds: 10_000)
        try await vault.sweepResponses()
        #expect(try await vault.responseTotals().count == 10)
        #expect(try await store.read { (reading) throws(VaultError) in try reading.responseTotals().count } == 10)
    }
}
