import PostgresTesting
import Sensitive
import Synchronization
import Testing
import Vault
import VaultPostgres
import VaultTesting

/// A process whose clock is wrong erases nothing that others still need.
@Suite("The clock of a shared vault") struct ServerClockTests {
    private static let name = [UInt8](repeating: 7, count: 32)

    @Test(arguments: [-26, 26] as [Int64]) func aWrongClockErasesNothing(hours: Int64) async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let began = ContinuousClock.now
        let right = try await openVault(stores[0])
        let wrong = try await openVault(stores[1]) { $0.clock = .system.ahead(by: hours * 3_600) }
        // A difference is known as exactly as the server's clock was read fast.
        let exactness = 3 + UInt64((.now - began).components.seconds)
        #expect(try #require(wrong.clockIsAheadBy).magnitude.distance(to: UInt64(26 * 3_600)).magnitude < exactness)
        #expect(try #require(right.clockIsAheadBy).magnitude < exactness)
        let now = VaultClock.system.unixSeconds()
        let item = VaultItem.value(
            SensitiveText("x"), format: .uuid, classifiers: ["c"], storage: .persistent, expiresAt: now + 3_600)
        let alias = try await right.alias(item)
        let kept = try await right.alias(.new("y", .uuid, ["c"]))
        let overdue = try await right.alias(
            .value(SensitiveText("z"), format: .uuid, classifiers: [], storage: .persistent, expiresAt: now + 1))
        let mark: [UInt8] = [1, 2, 3]
        #expect(try await right.claimResponse(Self.name, with: mark, for: 3_600) != nil)
        let use = AccessRecord(.uses, name: Self.name, content: [1], forgottenAt: now + 3_600)
        let old = AccessRecord(.uses, name: [1], content: [1], forgottenAt: now - 1)
        try await right.addAccessRecords([use, old])

        try await wrong.catchUp()
        try await wrong.sweepResponses()
        try await wrong.sweepAccessRecords()
        var erased = try await wrong.eraseExpired().values
        _ = try await wrong.eraseOverdue([Retention(classifier: "c", keep: 3_600)])
        #expect(try await wrong.response(under: Self.name) == mark)
        #expect(try await wrong.claimResponse(Self.name, with: mark, for: 3_600) == nil)
        #expect(try await right.accessRecords(.uses, since: nil).records == [use])
        for vault in [right, wrong] {
            #expect(await vault.value(alias) == "x")
            #expect(await vault.value(kept) == "y")
        }
        // What is overdue by the server's clock goes, whatever the process's.
        while erased == 0 {
            try await Task.sleep(for: .milliseconds(500))
            try await wrong.catchUp()
            erased += try await wrong.eraseExpired().values
        }
        #expect(erased == 1)
        #expect(await wrong.value(overdue) == nil)
        for store in stores { store.close() }
    }

    /// The server's clock is set forward for a moment: what ends by it is unknown then, and there again.
    @Test func aServerClockThatIsSetForwardErasesNothing() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        try server.setClock(of: url, ahead: 0)
        let stores = [try store(url), try store(url)]
        var vaults: [Vault] = []
        for store in stores { vaults.append(try await openVault(store) { $0.clock = .still }) }
        let end = VaultClock.system.unixSeconds() + 3_600
        let alias = try await vaults[0].alias(
            .value(SensitiveText("x"), format: .uuid, classifiers: ["c"], storage: .persistent, expiresAt: end))
        #expect(try await vaults[0].claimResponse(Self.name, with: [1], for: 3_600) != nil)
        try server.setClock(of: url, ahead: 25 * 3_600)
        for vault in vaults {
            try await vault.catchUp()
            try await vault.sweepResponses()
            #expect(try await vault.eraseExpired().values == 0)
            #expect(try await vault.eraseOverdue([Retention(classifier: "c", keep: 3_600)]).erased.values == 0)
            #expect(await vault.value(alias) == nil)
            #expect(try await vault.claimResponse(Self.name, with: [2], for: 3_600) == nil)
        }
        try server.setClock(of: url, ahead: 0)
        for vault in vaults {
            try await vault.catchUp()
            #expect(await vault.value(alias) == "x")
            #expect(try await vault.response(under: Self.name) == [1])
        }
        for store in stores { store.close() }
    }
    /// The server's clock is set back for a moment: what is stored then lives as long as it should, and what has ended stays so.
    @Test func aServerClockThatIsSetBackEndsNothingEarly() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        try server.setClock(of: url, ahead: 0)
        let stores = [try store(url), try store(url)]
        var vaults: [Vault] = []
        let passed = Mutex<Int64>(0)
        let clock = VaultClock(
            unixSeconds: VaultClock.system.unixSeconds, elapsedMilliseconds: { passed.withLock { $0 } })
        for store in stores { vaults.append(try await openVault(store) { $0.clock = clock }) }
        // It has been right for as long as it is missed then.
        let hour = 3_600
        passed.withLock { $0 = Int64(hour) * 1_000 }
        try server.setClock(of: url, ahead: hour)
        for vault in vaults { try await vault.catchUp() }
        let now = VaultClock.system.unixSeconds()
        let ended = try await vaults[0].alias(
            .value(SensitiveText("x"), format: .uuid, classifiers: [], storage: .persistent, expiresAt: now + 3_540))
        try server.setClock(of: url, ahead: hour - 26 * 3_600)
        for vault in vaults {
            try await vault.catchUp()
            #expect(await vault.value(ended) == nil)
        }
        #expect(try await vaults[0].claimResponse(Self.name, with: [1], for: 24 * 3_600) != nil)
        let alias = try await vaults[0].alias(
            .value(SensitiveText("y"), format: .uuid, classifiers: ["c"], storage: .persistent, expiresAt: nil))
        try server.setClock(of: url, ahead: hour)
        for vault in vaults.reversed() {
            try await vault.catchUp()
            try await vault.sweepResponses()
            #expect(try await vault.eraseOverdue([Retention(classifier: "c", keep: 3_600)]).erased.values == 0)
            #expect(await vault.value(alias) == "y")
            #expect(try await vault.claimResponse(Self.name, with: [2], for: 24 * 3_600) == nil)
        }
        for store in stores { store.close() }
    }
}
