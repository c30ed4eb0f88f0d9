import Sensitive
import Testing
import VaultTesting

@testable import Vault

@Suite("Creating aliases")
struct CreateTests {
    @Test func answersInRequestOrder() async throws {
        let vault = try await memoryVault()
        let stored = try await vault.create([
            .new("4539600166594134", .fpeSixTFour, ["pci"]), .cvc("321"), .new(""), .new("Ann Li", .rawUUID),
        ])
        #expect(stored.map(\.value.exposed) == ["4539600166594134", "321", "", "Ann Li"])
        #expect(stored.map(\.storage) == [.persistent, .volatile, .persistent, .persistent])
        #expect(stored.map(\.aliases.count) == [1, 1, 0, 1])
        #expect(stored[0].classifiers == ["pci"])
        #expect(stored[0].aliases[0].format == .fpeSixTFour)
        #expect(stored[0].aliases[0].alias.hasPrefix("453960"))
        #expect(stored[1].aliases[0].alias.hasPrefix("tok_sandbox_"))
        #expect(stored.allSatisfy { $0.createdAt == 1_000_000_000 })
        for item in stored where !item.aliases.isEmpty {
            #expect(await vault.value(item.aliases[0].alias) == item.value.exposed)
        }
    }

    @Test func sameValueSameAlias() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock)
        let first = try await vault.create([.new("x", .uuid, ["a"]), .new("x", .uuid, ["b"]), .new("x", .rawUUID)])
        #expect(first[0].aliases == first[1].aliases)
        #expect(first[2].aliases[0].format == .rawUUID)
        #expect(first.map(\.classifiers) == [["a", "b"], ["a", "b"], ["a", "b"]])
        clock.advance(milliseconds: 60_000)
        for _ in 0..<2 {
            let again = try await vault.create([.new("x", .uuid, ["b", "c"])])
            #expect(again[0].aliases == first[0].aliases)
            #expect(again[0].classifiers == ["a", "b", "c"])
            #expect(again[0].createdAt == first[0].createdAt)
        }
        #expect(vault.metrics.remembered == 1)
        let all = try await vault.reveal([first[0].aliases[0].alias])
        #expect(all[0].stored.aliases == [first[0].aliases[0], first[2].aliases[0]])
        #expect(try await vault.alias(.new("x ")) != first[0].aliases[0].alias)
    }

    @Test(arguments: [(100, 1_024, true), (101, 1, false), (1, 1_025, false)], Storage.allCases)
    func classifiersAreBounded(_ given: (count: Int, length: Int, isTaken: Bool), storage: Storage) async throws {
        let vault = try await memoryVault()
        let classifiers = (0..<given.count).map { "\($0)" }
            .map { $0 + String(repeating: "c", count: max(0, given.length - $0.utf8.count)) }
        let items: [VaultItem] = [.new("y", .uuid, [], storage), .new("x", .uuid, classifiers, storage)]
        let alias = try await vault.alias(.new("z", .uuid, [], storage))
        if given.isTaken {
            #expect(try await vault.create(items)[1].classifiers == classifiers.distinctByBytes)
            try await vault.replaceClassifiers(of: alias, with: classifiers)
        } else {
            await #expect(throws: VaultError.unsuitableClassifiers(item: 1)) { try await vault.create(items) }
            await #expect(throws: VaultError.unsuitableClassifiers(item: nil)) {
                try await vault.replaceClassifiers(of: alias, with: (0..<given.count).map { "\($0)" } + classifiers)
            }
        }
    }

    /// Those that a reused value has already count.
    @Test func addedClassifiersAreBounded() async throws {
        let vault = try await memoryVault()
        let classifiers = (0..<100).map { "\($0)" }
        _ = try await vault.create([.new("x", .uuid, classifiers)])
        let named = AliasAdmission(givesClassifiers: true) { _ in nil }
        await #expect(throws: VaultError.unsuitableClassifiers(item: 1)) {
            try await vault.create([.new("y"), .new("x", .uuid, ["more"])], admission: named)
        }
        #expect(try await vault.create([.new("x", .rawUUID, ["7"])], admission: named)[0].classifiers == classifiers)
        // Nobody can keep a form from storing a value by labelling it.
        #expect(try await vault.create([.new("x", .uuid, ["form"])])[0].classifiers == classifiers + ["form"])
        let repeated = [VaultItem.new("z", .uuid, [String](repeating: "same", count: 101))]
        #expect(try await vault.create(repeated, admission: named)[0].classifiers == ["same"])
    }

    /// A value that is remembered is answered as the rest of its request leaves it, wherever it stands.
    @Test(
        arguments: [
            ([.new("x"), .new("y")], [], 2), ([.new("x"), .new(""), .new("x")], [], 3),
            ([.new("x"), .cvc("321")], [], 0), ([.cvc("321"), .new("x"), .new("y")], [], 0),
            ([.new("x"), .new("z")], [], 0), ([.cvc("321"), .new("x"), .new("z"), .new("y")], [], 0),
            ([.new("x"), .new("x", .uuid, ["b"])], ["b"], 0), ([.new("x", .uuid, ["b"]), .new("x")], ["b"], 0),
            ([.new("x"), .new(""), .new("x", .rawUUID)], [], 0),
            ([.new("x"), .new("y"), .cvc("321"), .new("x", .uuid, ["b"])], ["b"], 0),
        ] as [([VaultItem], [String], Int)])
    func whatIsRememberedAgreesWithTheRest(items: [VaultItem], added: [String], remembered: Int) async throws {
        let vault = try await memoryVault()
        let known = try await vault.create([.new("x", .uuid, ["a"]), .new("y")])
        let stored = try await vault.create(items)
        #expect(vault.metrics.remembered == remembered && vault.metrics.created == 2 + items.count)
        #expect(stored.count == items.count)
        for (item, stored) in zip(items, stored) {
            guard case .value(let text, let format, _, let storage, _) = item else { continue }
            #expect(stored.value.exposed == text.exposed && stored.storage == storage)
            #expect(stored.aliases.map(\.format) == (text.isEmpty ? [] : [format]))
            for known in known where known.value.exposed == text.exposed {
                #expect(stored.aliases == known.aliases || format == .rawUUID)
                #expect(stored.classifiers == known.classifiers + (text.exposed == "x" ? added : []))
            }
        }
        let reference = VaultItem.reference(alias: known[0].aliases[0].alias, format: .uuid)
        let both = try await vault.create([.new("x"), reference])
        #expect(both[0].aliases == known[0].aliases && both[0].classifiers == both[1].classifiers)
    }

    @Test func withoutReuseEveryRequestMakesAnAlias() async throws {
        let vault = try await memoryVault { $0.reuse = false }
        let stored = try await vault.create([.new("x"), .new("x")])
        let again = try await vault.alias(.new("x"))
        #expect(Set(stored.map(\.aliases[0].alias) + [again]).count == 3)
        #expect(try await vault.reveal([again])[0].stored.aliases.count == 1)
        let added = try await vault.create([.reference(alias: again, format: .uuid)])
        #expect(added[0].aliases.count == 2)
    }

    @Test func references() async throws {
        let vault = try await memoryVault()
        let alias = try await vault.alias(.new("4539600166594134", .fpeSixTFour))
        let added = try await vault.create([.reference(alias: alias, format: .uuid, storage: .persistent)])
        #expect(added[0].aliases.map(\.format) == [.fpeSixTFour, .uuid])
        #expect(added[0].value.exposed == "4539600166594134")
        let again = try await vault.create([.reference(alias: added[0].aliases[1].alias, format: .uuid)])
        #expect(again[0].aliases == added[0].aliases)
        #expect(try await vault.alias(.new("4539600166594134")) == added[0].aliases[1].alias)
        await #expect(throws: VaultError.repeatedReference(alias)) {
            try await vault.create([.reference(alias: alias, format: .uuid), .reference(alias: alias, format: .pfpt)])
        }
        await #expect(throws: VaultError.unknownAliases(["nope", "neither"])) {
            try await vault.create([
                .new("y"), .reference(alias: "nope", format: .uuid), .reference(alias: "neither", format: .uuid),
            ])
        }
        await #expect(throws: VaultError.unknownAliases([alias])) {
            try await vault.create([.reference(alias: alias, format: .uuid, storage: .volatile)])
        }
        await #expect(throws: VaultError.valueDoesNotFit(.fpeSSNTFour, item: 1)) {
            try await vault.create([.new("y"), .reference(alias: alias, format: .fpeSSNTFour)])
        }
        #expect(vault.metrics.created == 4)
    }

    @Test func nothingIsStoredWhenOneItemFails() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        await #expect(throws: VaultError.valueDoesNotFit(.fpeSixTFour, item: 2)) {
            try await vault.create([.new("a"), .cvc("321"), .new("4539", .fpeSixTFour)])
        }
        await #expect(throws: VaultError.unknownAliases(["nope"])) {
            try await vault.create([.new("a"), .cvc("321"), .reference(alias: "nope", format: .uuid)])
        }
        #expect(vault.metrics.volatileAliases == 0)
        #expect(try await store.read { (reading) throws(VaultError) in try reading.entry(alias: "")?.value?.id } == nil)
        let count = try await store.read { (reading) throws(VaultError) in
            var count = 0
            try reading.visitAliases(prefix: "") { _ in count += 1 }
            return count
        }
        #expect(count == 0)
    }

    @Test func fallback() async throws {
        let vault = try await memoryVault {
            $0.fallback = .uuid
            $0.environment = .live
        }
        let stored = try await vault.create([.new("not a card", .fpeSixTFour), .cvc("1", .numLengthPreserving)])
        for item in stored { #expect(item.aliases[0].alias.hasPrefix("tok_live_")) }
        #expect(stored.map(\.aliases[0].format) == [.fpeSixTFour, .numLengthPreserving])
        #expect(try await vault.alias(.new("not a card", .fpeSixTFour)) == stored[0].aliases[0].alias)
    }

    /// An alias that stands for a value which does not fit its format shows nothing of it, and may be written to a log.
    @Test(arguments: [("not a card", true), ("4539600166594134", false)])
    func fallbacksShowNothing(value: String, isRecordable: Bool) async throws {
        let vault = try await memoryVault { $0.fallback = .uuid }
        let items = [VaultItem.value(SensitiveText(value), format: .fpeSixTFour, classifiers: [], storage: .volatile)]
        let stored = try await vault.create(items)
        let alias = try #require(stored.first?.aliases.first?.alias)
        #expect(items.makeRecordableAliases() == isRecordable)
        #expect(items.recordable([alias]) == [isRecordable ? alias : nil])
        #expect(stored.recordableAliases().aliases == (isRecordable ? [alias] : []))
        #expect(try await vault.recordable([alias]) == (isRecordable ? [alias] : []))
        #expect(try await vault.lookUp([alias])[alias]?.isRecordable == isRecordable)
    }

    /// Another vault may give a value back in groups.
    @Test(arguments: [
        ("12345678", "abc-1234-5678-x", false), ("1234 5678", "x12345678", false), ("12345678", "x1234-567", true),
    ])
    func foreignAliasesHoldNoVolatileValue(value: String, alias: String, isRecordable: Bool) {
        let items = [VaultItem.value(SensitiveText(value), format: .uuid, classifiers: [], storage: .volatile)]
        #expect(items.recordable([alias], areForeign: true) == [isRecordable ? alias : nil])
    }

    /// Who looks up what may be aliases learns from the same look-up what becomes of their values.
    @Test func lookedUpValuesTellWhatBecomesOfThem() async throws {
        let vault = try await memoryVault()
        let end = vault.configuration.clock.unixSeconds() + 1_000
        let card = SensitiveText("4539600166594134")
        let stored = try await vault.create([
            .value(card, format: .fpeSixTFour, classifiers: ["card", "b"]),
            .value(SensitiveText("1"), format: .uuid, classifiers: ["a"], expiresAt: end),
            .value(card, format: .fpeSixTFour, classifiers: ["volatile"], storage: .volatile),
            .value(card, format: .uuid, storage: .volatile),
        ])
        let aliases = stored.compactMap(\.aliases.last?.alias)
        let found = try await vault.lookUp(aliases)
        let values = aliases.map { found[$0] }
        #expect(values.map(\.?.isTemporary) == [false, true, true, true])
        #expect(values.map(\.?.isRecordable) == [true, true, false, true])
        #expect(values.map(\.?.classifiers) == [["card", "b"], ["a"], ["volatile"], []])
        #expect(values.map(\.?.value.exposed) == [card.exposed, "1", card.exposed, card.exposed])
    }

    @Test func classifiersAreReplacedAndRemembered() async throws {
        let vault = try await memoryVault()
        let alias = try await vault.alias(.new("x", .uuid, ["a"]))
        try await vault.replaceClassifiers(of: alias, with: ["b"])
        #expect(try await vault.create([.new("x")])[0].classifiers == ["b"])
        #expect(try await vault.create([.new("x", .uuid, ["c"])])[0].classifiers == ["b", "c"])
        #expect(try await vault.create([.new("x")])[0].classifiers == ["b", "c"])
        #expect(try await vault.reveal([alias])[0].stored.classifiers == ["b", "c"])
        await #expect(throws: VaultError.unknownAliases(["nope"])) {
            try await vault.replaceClassifiers(of: "nope", with: [])
        }
        await #expect(throws: VaultError.unknownAliases([alias])) {
            try await vault.replaceClassifiers(of: alias, with: [], storage: .volatile)
        }
    }

    @Test func deletion() async throws {
        let vault = try await memoryVault()
        let uuid = try await vault.alias(.new("x"))
        let raw = try await vault.alias(.new("x", .rawUUID))
        await #expect(throws: VaultError.unknownAliases(["nope", "no"])) {
            try await vault.delete([uuid, "nope", "no", "no"])
        }
        #expect(await vault.value(uuid) == "x")
        try await vault.delete([uuid, uuid])
        #expect(await vault.value(uuid) == nil)
        #expect(await vault.value(raw) == "x")
        let second = try await vault.alias(.new("x"))
        #expect(second != uuid)
        #expect(try await vault.reveal([raw])[0].stored.aliases.count == 2)
        try await vault.delete([second, raw])
        let third = try await vault.create([.new("x")])
        #expect(third[0].aliases.count == 1)
        #expect(try await vault.reveal([third[0].aliases[0].alias])[0].stored.aliases.count == 1)
        await #expect(throws: VaultError.unknownAliases([raw])) { try await vault.delete([raw]) }
    }

    @Test func revealingSeveral() async throws {
        let vault = try await memoryVault()
        let a = try await vault.alias(.new("a"))
        let b = try await vault.alias(.cvc("b"))
        let both = try await vault.reveal([b, a, b])
        #expect(both.map(\.alias) == [b, a])
        #expect(both.map(\.stored.value.exposed) == ["b", "a"])
        await #expect(throws: VaultError.unknownAliases(["x", "y"])) { try await vault.reveal([a, "x", b, "y", "x"]) }
        await #expect(throws: VaultError.unknownAliases([b])) { try await vault.reveal([a, b], storage: .persistent) }
        await #expect(throws: VaultError.unknownAliases([a])) { try await vault.reveal([a, b], storage: .volatile) }
    }
}

@Suite("Texts that Swift takes for the same")
struct ExactTextTests {
    private static let one = "\u{E9}"
    private static let two = "e\u{301}"

    @Test func areTwo() {
        #expect(Self.one == Self.two)
        let texts = ["a", Self.one, Self.two, Self.one, "K", "\u{212A}", "a"]
        #expect(
            texts.distinctByBytes.map { Array($0.utf8) }
                == ["a", Self.one, Self.two, "K", "\u{212A}"].map { Array($0.utf8) })
        #expect([Self.one].holdsBytes(ofAll: [Self.one]) && ![Self.one].holdsBytes(ofAll: [Self.two]))
        #expect([Self.one].holdsBytes(ofAll: []))
    }

    /// One rule for everything that sets classifiers: their order is kept, repeated bytes count once.
    @Test(arguments: [
        (VaultItem.new("x", .uuid, labels)), .new("x", .uuid, labels, .volatile), .new("", .uuid, labels),
        .new("", .uuid, labels, .volatile),
    ])
    func classifiers(item: VaultItem) async throws {
        let vault = try await memoryVault()
        let wanted = ["b", Self.one, "a", Self.two].map { Array($0.utf8) }
        func bytes(_ stored: StoredValue) -> [[UInt8]] { stored.classifiers.map { Array($0.utf8) } }
        #expect(try await bytes(vault.create([item])[0]) == wanted)
        #expect(try await bytes(vault.create([item])[0]) == wanted)
        let alias = try await vault.alias(.new("y", .uuid, ["z"], item.storage))
        try await vault.replaceClassifiers(of: alias, with: Self.labels)
        #expect(try await bytes(vault.reveal([alias])[0].stored) == wanted)
    }

    private static let labels = ["b", one, "b", "a", two, one, "a"]

    /// A remembered value, too, gets what it does not have yet.
    @Test func reuseAddsWhatIsNew() async throws {
        let vault = try await memoryVault()
        for _ in 0..<2 { _ = try await vault.create([.new("x", .uuid, [Self.one])]) }
        let stored = try await vault.create([.new("x", .uuid, [Self.two])])
        #expect(stored[0].classifiers.map(\.utf8.count) == [2, 3])
        let again = try await vault.create([.new("x")])
        #expect(again[0].classifiers.map(\.utf8.count) == [2, 3])
    }

    @Test(arguments: Storage.allCases)
    func aliasesAreBytes(storage: Storage) async throws {
        let vault = try await memoryVault()
        var alias = ""
        while !alias.contains("K") { alias = try await vault.alias(.new("x\(alias)", .uuid, [], storage)) }
        let other = alias.replacing("K", with: "\u{212A}")
        #expect(other == alias)
        func expectUnknown(_ work: () async throws -> Void) async {
            let error = await #expect(throws: VaultError.self) { try await work() }
            guard case .unknownAliases(let unknown)? = error else { return #expect(Bool(false)) }
            #expect(unknown.map { Array($0.utf8) } == [Array(other.utf8)])
        }
        await expectUnknown { _ = try await vault.reveal([alias, other]) }
        await expectUnknown { try await vault.delete([alias, other]) }
        await expectUnknown { try await vault.replaceClassifiers(of: other, with: []) }
        await expectUnknown {
            _ = try await vault.create([
                .reference(alias: alias, format: .uuid), .reference(alias: other, format: .uuid),
            ])
        }
        #expect(await vault.value(alias) != nil)
    }
}

extension VaultItem {
    fileprivate var storage: Storage {
        if case .value(_, _, _, let storage, _) = self { storage } else { .persistent }
    }
}
