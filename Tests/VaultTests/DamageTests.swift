import Crypto
import Sensitive
import Testing

@testable import Vault
@testable import VaultTesting

/// Rows of another place, time or value are never taken for what they are not.
@Suite("Checking what is read")
struct DamageTests {
    /// Two values with two aliases each; every part of every row is exchanged between them.
    @Test(arguments: RowChange.allCases)
    func exchangedParts(change: RowChange) async throws {
        let store = MemoryAliasStore()
        let clock = TestClock()
        var vault = try await memoryVault(store, clock: clock)
        let stored = try await vault.create([
            .new("first", .uuid, ["a"]), .new("first", .rawUUID),
            .value(.init("second"), format: .uuid, classifiers: ["b"], expiresAt: 2_000_000_000), .new("other", .uuid),
        ])
        clock.advance(milliseconds: 60_000)
        _ = try await vault.rotateKey()
        let late = try await vault.create([.new("third", .uuid, ["c"]), .new("third", .rawUUID)])
        let (one, other) = (stored[0].aliases[0].alias, late[0].aliases[0].alias)
        try await store.write { (transaction) throws(VaultError) in try change.run(transaction, one, other) }
        vault = try await memoryVault(store, clock: clock)
        for (alias, value) in [(one, "first"), (other, "third"), (stored[1].aliases[0].alias, "first")] {
            do throws(VaultError) {
                let revealed = try await vault.reveal([alias])[0].stored
                #expect(revealed.value.exposed == value && change.isHarmless)
                #expect(revealed.aliases.allSatisfy { [2, 2].contains(revealed.aliases.count) || $0.alias == alias })
            } catch {
                #expect(error == .damaged(alias: alias))
            }
        }
        // Nor is a value found by what belongs to another.
        for (text, known) in [("first", stored[0]), ("third", late[0])] {
            if let again = try? await vault.create([.new(text)]).first {
                #expect(again.value.exposed == text)
                let alias = again.aliases[0].alias
                let value = await vault.value(alias)
                #expect(value == text || (value == nil && alias == known.aliases[0].alias))
            }
        }
        #expect(change.isHarmless || vault.metrics.damaged > 0)
    }

    /// An end that was put before now hides nothing: a request is told of the damage as one that reads is.
    @Test func aChangedEnd() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let alias = try await vault.alias(.new("x"))
        try await store.write { (transaction) throws(VaultError) in
            guard var record = try transaction.values(after: 0, notSealedUnder: 0, limit: 1).records.first else {
                return
            }
            record.expiresAt = 1
            try transaction.update(record)
        }
        let items = [VaultItem.reference(alias: alias, format: .rawUUID)]
        await #expect(throws: VaultError.damaged(alias: alias)) { try await vault.reveal([alias]) }
        await #expect(throws: VaultError.damaged(alias: alias)) { try await vault.create(items) }
        await #expect(throws: VaultError.damaged(alias: alias)) { try await vault.references(in: items) }
    }

    /// A row that was deleted and is put back under the id of a later value.
    @Test func aRowPutBackUnderALaterId() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let old = try await vault.alias(.new("old"))
        let kept = try await store.read { (reading) throws(VaultError) in
            (entry: try reading.entry(alias: old), aliases: try reading.aliases(of: 1))
        }
        try await vault.delete([old])
        let new = try await vault.alias(.new("new"))
        let id = try await store.read { (reading) throws(VaultError) in try reading.entry(alias: new)?.value?.id }
        #expect(id == 2)
        let later = try #require(id)
        try await store.write { (transaction) throws(VaultError) in
            guard let record = kept.entry?.value, let tag = kept.entry?.alias.tag else { return }
            transaction.delete(value: later)
            transaction.delete(alias: new)
            try transaction.insert(
                ValueRecord(
                    id: later, binding: record.binding, fingerprint: record.fingerprint, keyID: record.keyID,
                    sealed: record.sealed, classifiers: [], createdAt: record.createdAt))
            _ = try transaction.insert(
                AliasRecord(alias: Alias(alias: old, format: .uuid), value: later, tag: tag))
            _ = try transaction.insert(
                AliasRecord(alias: Alias(alias: new, format: .uuid), value: later, tag: tag))
        }
        for alias in [old, new] {
            await #expect(throws: VaultError.damaged(alias: alias)) { try await vault.reveal([alias]) }
            await #expect(throws: VaultError.damaged(alias: alias)) {
                try await vault.replaceClassifiers(of: alias, with: ["x"])
            }
            await #expect(throws: VaultError.damaged(alias: alias)) { try await vault.lookUp([alias]) }
            await #expect(throws: VaultError.damaged(alias: alias)) {
                try await vault.create([.reference(alias: alias, format: .rawUUID)])
            }
        }
        // They can be deleted, unread.
        #expect(try await vault.delete([old, new]) == [old, new])
        await #expect(throws: VaultError.unknownAliases([old, new])) { try await vault.reveal([old, new]) }
    }

    @Test func aliasWithoutItsValue() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let alias = try await vault.alias(.new("x"))
        try await store.write { (transaction) throws(VaultError) in
            guard let record = try transaction.entry(alias: alias), let id = record.value?.id else { return }
            transaction.delete(value: id)
            transaction.delete(alias: alias)
            _ = try transaction.insert(record.alias)
        }
        await #expect(throws: VaultError.damaged(alias: alias)) { try await vault.reveal([alias]) }
    }

    /// Every single bit of a seal and of a tag.
    @Test func flippedBits() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let alias = try await vault.alias(.new("4539600166594134", .fpeSixTFour, ["c"]))
        let whole = try #require(
            try await store.read { (reading) throws(VaultError) in try reading.entry(alias: alias)?.value })
        for bit in 0..<(whole.sealed.count * 8) {
            var record = whole
            record.sealed[bit / 8] ^= 1 << UInt8(bit % 8)
            let changed = record
            try await store.write { (transaction) throws(VaultError) in try transaction.update(changed) }
            await #expect(throws: VaultError.damaged(alias: alias)) { try await vault.reveal([alias]) }
        }
        try await store.write { (transaction) throws(VaultError) in try transaction.update(whole) }
        #expect(await vault.value(alias) == "4539600166594134")
        for bit in 0..<128 {
            try await store.write { (transaction) throws(VaultError) in
                guard let entry = try transaction.entry(alias: alias) else { return }
                var tag = entry.alias.tag.bytes
                tag[bit / 8] ^= 1 << UInt8(bit % 8)
                transaction.delete(alias: alias)
                _ = try transaction.insert(
                    AliasRecord(alias: alias, format: 6, value: entry.alias.value, tag: tag))
            }
            await #expect(throws: VaultError.damaged(alias: alias)) { try await vault.reveal([alias]) }
            try await store.write { (transaction) throws(VaultError) in
                guard let entry = try transaction.entry(alias: alias) else { return }
                var tag = entry.alias.tag.bytes
                tag[bit / 8] ^= 1 << UInt8(bit % 8)
                transaction.delete(alias: alias)
                _ = try transaction.insert(
                    AliasRecord(alias: alias, format: 6, value: entry.alias.value, tag: tag))
            }
        }
        #expect(await vault.value(alias) == "4539600166594134")
    }
}

/// A part of the rows of two values and of their aliases that is exchanged, or changed in one of them.
enum RowChange: CaseIterable {
    case aliasValue, aliasFormat, aliasTag, binding, fingerprint, noFingerprint, key, sealed, classifiers, noClassifiers
    case createdAt, expiresAt, wholeValue

    /// Nothing that is bound is touched.
    var isHarmless: Bool { false }

    func run(_ transaction: any AliasTransaction, _ one: String, _ other: String) throws(VaultError) {
        guard let first = try transaction.entry(alias: one), let second = try transaction.entry(alias: other),
            let a = first.value, let b = second.value
        else { return }
        switch self {
        case .aliasValue, .aliasFormat, .aliasTag:
            for (own, from) in [(first.alias, second.alias), (second.alias, first.alias)] {
                transaction.delete(alias: own.alias.alias)
                let format = self == .aliasFormat ? AliasFormat.rawUUID : own.alias.format
                _ = try transaction.insert(
                    AliasRecord(
                        alias: Alias(alias: own.alias.alias, format: format),
                        value: self == .aliasValue ? from.value : own.value,
                        tag: self == .aliasTag ? from.tag : own.tag))
            }
        default:
            for record in [a, b] { try transaction.delete(valueAlone: record) }
            for record in [exchanged(a, b), exchanged(b, a)] { try transaction.insert(record) }
        }
    }

    private func exchanged(_ own: ValueRecord, _ from: ValueRecord) -> ValueRecord {
        if self == .wholeValue {
            return ValueRecord(
                id: own.id, binding: from.binding, fingerprint: from.fingerprint, keyID: from.keyID,
                sealed: from.sealed, classifiers: from.classifiers, createdAt: from.createdAt,
                expiresAt: from.expiresAt)
        }
        return ValueRecord(
            id: own.id, binding: self == .binding ? from.binding : own.binding,
            fingerprint: self == .fingerprint ? from.fingerprint : self == .noFingerprint ? nil : own.fingerprint,
            keyID: self == .key ? from.keyID : own.keyID, sealed: self == .sealed ? from.sealed : own.sealed,
            classifiers: self == .classifiers ? from.classifiers : self == .noClassifiers ? [] : own.classifiers,
            createdAt: self == .createdAt ? from.createdAt : own.createdAt,
            expiresAt: self == .expiresAt ? 3_000_000_000 : own.expiresAt)
    }
}

/// What no call of the vault does, and who can write to the database may.
extension AliasTransaction {
    func delete(alias: String) { (self as? MemoryTransaction)?.delete(alias: alias) }

    func delete(value id: Int64) { (self as? MemoryTransaction)?.delete(value: id) }

    /// Removes a value's row and leaves its aliases.
    func delete(valueAlone record: ValueRecord) throws(VaultError) {
        let aliases = try aliases(of: record.id)
        delete(value: record.id)
        for alias in aliases {
            delete(alias: alias.alias.alias)
            _ = try insert(alias)
        }
    }
}
