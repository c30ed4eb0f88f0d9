import Sensitive
import Testing
import VaultTesting

@testable import Vault

@Suite("Spaces that fill up")
struct ExhaustionTests {
    /// 12 digits leave two: ten Luhn-valid aliases, less the value itself if it is one.
    @Test(arguments: [("453960016659", 10), ("453960106659", 10), ("453960036659", 10), ("453960026659", 10)])
    func shortCards(value: String, size: Int) async throws {
        let vault = try await memoryVault { $0.reuse = false }
        let space = try #require(AliasFormat.fpeSixTFour.space(for: value))
        var aliases: Set<String> = []
        for _ in 0..<Int(space) { aliases.insert(try await vault.alias(.new(value, .fpeSixTFour))) }
        #expect(aliases.count == Int(space) && (9...size).contains(aliases.count) && !aliases.contains(value))
        await #expect(throws: VaultError.aliasSpaceExhausted(.fpeSixTFour)) {
            try await vault.create([.new("other"), .new(value, .fpeSixTFour)])
        }
        let freed = try #require(aliases.first)
        try await vault.delete([freed])
        #expect(try await vault.alias(.new(value, .fpeSixTFour)) == freed)
        #expect(vault.metrics.fullness[.fpeSixTFour] ?? 0 > 0.85)
    }

    /// The last aliases of a space are listed; which one comes next must not be told from the ones before.
    @Test func theLastAliasesComeInNoOrder() async throws {
        let vault = try await memoryVault { $0.reuse = false }
        var aliases: [String] = []
        for number in 0..<999 {
            aliases.append(try await vault.alias(.new(String("000\(number % 1_000)".suffix(3)), .numLengthPreserving)))
        }
        let last = Array(aliases.suffix(20))
        #expect(last != last.sorted() && last != last.sorted(by: >))
    }

    @Test func everyValueOfAKindGetsAnAlias() async throws {
        let vault = try await memoryVault()
        var aliases: Set<String> = []
        // Ten values compete for ten aliases, none of which may be its own value.
        for middle in 10..<19 { aliases.insert(try await vault.alias(.new("453960\(middle)6659", .fpeSixTFour))) }
        #expect(aliases.count == 9)
    }

    @Test func fallsBackWhenAsked() async throws {
        let vault = try await memoryVault {
            $0.reuse = false
            $0.fallback = .uuid
        }
        var shapes: [Bool] = []
        for _ in 0..<12 {
            shapes.append(try await vault.alias(.new("453960016659", .fpeSixTFour)).hasPrefix("tok_sandbox_"))
        }
        #expect(shapes.suffix(2) == [true, true])
        #expect(!shapes.prefix(9).contains(true))
    }

    /// Three digits, half of them persistent, half volatile: no alias is given twice, the last one is found, and what
    /// expires or is deleted is given again.
    @Test func threeDigitsAcrossStorages() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock)
        var persistent: Set<String> = []
        var volatile: Set<String> = []
        for number in 0..<1_000 {
            let value = String(String(number + 1_000).suffix(3))
            if number % 2 == 0 {
                persistent.insert(try await vault.alias(.new(value, .numLengthPreserving)))
            } else if number < 999 {
                volatile.insert(try await vault.alias(.cvc(value, .numLengthPreserving)))
            }
        }
        #expect(persistent.count == 500 && volatile.count == 499 && persistent.isDisjoint(with: volatile))
        let free = Set((0..<1_000).map { String(String($0 + 1_000).suffix(3)) }).subtracting(persistent).subtracting(
            volatile)
        let last = try #require(free.first)
        await #expect(throws: VaultError.aliasSpaceExhausted(.numLengthPreserving)) {
            try await vault.create([.cvc(last, .numLengthPreserving)])
        }
        let other = try #require(persistent.first)
        #expect(try await vault.alias(.cvc(other, .numLengthPreserving)) == last)
        await #expect(throws: VaultError.aliasSpaceExhausted(.numLengthPreserving)) {
            try await vault.create([.cvc("5", .uuid), .cvc(other, .numLengthPreserving)])
        }
        #expect(vault.metrics.volatileAliases == 500)
        #expect(vault.metrics.fullness[.numLengthPreserving] == 1)
        clock.advance(milliseconds: 3_600_000)
        vault.sweep()
        #expect(vault.metrics.volatileAliases == 0)
        for _ in 0..<500 { volatile.insert(try await vault.alias(.cvc(other, .numLengthPreserving))) }
        #expect(vault.metrics.volatileAliases == 500)
        #expect(persistent.isDisjoint(with: volatile))
    }

    /// What has expired is free at once, for both storages, and is not counted, though nobody has swept.
    @Test(arguments: [Storage.volatile, .persistent])
    func expiredAliasesAreFree(next storage: Storage) async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.volatileLifetime = 2_000 }
        let code = VaultItem.cvc("321", .numLengthPreserving)
        var count = 0
        while (try? await vault.create([code])) != nil { count += 1 }
        #expect(count == 999)
        clock.advance(milliseconds: 2_000)
        let value = VaultItem.new("321", .numLengthPreserving, [], storage)
        #expect(try await vault.create([value])[0].aliases.count == 1)
        #expect(vault.metrics.volatileAliases == (storage == .volatile ? 1 : 0))
        #expect(vault.metrics.fullness[.numLengthPreserving] ?? 1 < 0.1)
    }

    /// What was erased after its end is free for others.
    @Test func aliasesOfErasedValuesAreFree() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock)
        let end = clock.clock.unixSeconds() + 10
        var count = 0
        for number in 0..<1_100 {
            let value = SensitiveText(String(String(number % 1_000 + 1_000).suffix(3)))
            let item = VaultItem.value(value, format: .numLengthPreserving, expiresAt: end + Int64(number))
            if (try? await vault.create([item])) != nil { count += 1 }
        }
        #expect(count >= 999)
        clock.advance(milliseconds: 2_000_000)
        #expect(vault.metrics.fullness[.numLengthPreserving] ?? 0 > 0.9)
        while try await vault.eraseExpired().next != nil {}
        #expect(vault.metrics.fullness[.numLengthPreserving] ?? 1 < 0.1)
        #expect(try await vault.create([.new("321", .numLengthPreserving)])[0].aliases.count == 1)
    }

    /// A value that is stored again after its end makes room for itself, in a space that has no other alias left.
    @Test func anExpiredValueGivesItsAliasToItsSuccessor() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock)
        let end = clock.clock.unixSeconds() + 10
        var values: [String] = []
        for number in 0..<1_100 {
            let value = String(String(number % 1_000 + 1_000).suffix(3))
            let item = VaultItem.value(SensitiveText(value), format: .numLengthPreserving, expiresAt: end)
            if (try? await vault.create([item])) != nil { values.append(value) }
        }
        #expect(vault.metrics.fullness[.numLengthPreserving] ?? 0 > 0.99)
        clock.advance(milliseconds: 2_000_000)
        var isGiven = false
        for value in values.prefix(10) where !isGiven {
            isGiven = (try? await vault.create([.new(value, .numLengthPreserving)])) != nil
        }
        #expect(isGiven)
    }

    /// A store may run a request again: what the first run had reserved is free.
    @Test func aRequestThatIsRunTwiceReservesOnce() async throws {
        let store = HookedStore(MemoryAliasStore(), runsTwice: true)
        var configuration = VaultConfiguration()
        configuration.clock = TestClock().clock
        let vault = try await Vault.open(configuration, masterKey: masterKey(), store: store)
        var count = 0
        while count < 1_100, (try? await vault.create([.cvc("321", .numLengthPreserving)])) != nil { count += 1 }
        #expect(count == 999 && vault.metrics.volatileAliases == 999)
    }

    @Test func metricsDoNotCountWhatHasExpired() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock)
        for _ in 0..<3 {
            for _ in 0..<999 { _ = try await vault.alias(.cvc("321", .numLengthPreserving)) }
            #expect(vault.metrics.volatileAliases == 999)
            clock.advance(milliseconds: 3_600_000)
            #expect(vault.metrics.volatileAliases == 0 && vault.metrics.fullness[.numLengthPreserving] ?? 1 < 0.1)
        }
    }

    /// A refused request gives back what it had drawn.
    @Test func refusedRequestsLeaveNoTrace() async throws {
        let vault = try await memoryVault { $0.reuse = false }
        let space = Int(try #require(AliasFormat.fpeSixTFour.space(for: "453960016659")))
        for _ in 0..<(space - 2) { _ = try await vault.alias(.new("453960016659", .fpeSixTFour)) }
        let item = VaultItem.new("453960016659", .fpeSixTFour)
        for _ in 0..<5 {
            await #expect(throws: VaultError.aliasSpaceExhausted(.fpeSixTFour)) {
                try await vault.create([item, item, item])
            }
        }
        let last = try await vault.create([item, item])
        #expect(Set(last.map(\.aliases[0].alias)).count == 2)
    }
}
