import Sensitive

/// Checks of what a store returns, for all calls.
extension Vault {
    /// A value whose record and alias were checked.
    struct Opened {
        let record: ValueRecord
        let text: SensitiveText
    }

    /// The value behind an alias; nil if it has expired. Throws `damaged` with the alias if its record, its value's record, or the
    /// tie between them is not what this vault wrote.
    func open(_ entry: AliasEntry, askedFor alias: String, now: Int64) throws(VaultError) -> Opened? {
        var none: [Int64: Opened] = [:]
        return try open(entry, askedFor: alias, now: now, sharing: &none)
    }

    /// The same, opened once for all aliases of a value that one request asks for.
    ///
    /// - Parameter opened: those that the request has opened, by their ids. An alias must be of the one that was opened, by its binding.
    func open(
        _ entry: AliasEntry, askedFor alias: String, now: Int64, sharing opened: inout [Int64: Opened]
    ) throws(VaultError) -> Opened? {
        try naming(alias) { () throws(VaultError) in
            guard let stored = entry.value, entry.alias.alias.alias.hasSameBytes(as: alias) else {
                throw .damaged(alias: nil)
            }
            let record = opened[stored.id]?.record ?? stored
            try sealer.check(entry.alias, of: record.id, record.binding, by: keyring.integrity)
            if let known = opened[record.id] { return known }
            let text = try sealer.open(record, with: keyring.key(record.keyID))
            opened[record.id] = record.hasExpired(by: now) ? nil : Opened(record: record, text: text)
            return opened[record.id]
        }
    }

    /// The value of a record. Throws `damaged`.
    func open(_ record: ValueRecord) throws(VaultError) -> SensitiveText {
        try naming(nil) { () throws(VaultError) in try sealer.open(record, with: keyring.key(record.keyID)) }
    }

    /// The value of a record; nil if it is damaged, which is counted.
    func openIfIntact(_ record: ValueRecord) throws(VaultError) -> SensitiveText? {
        do { return try open(record) } catch .damaged { return nil }
    }

    /// The aliases of a value. Throws `damaged` if one of them was not made for it.
    func checked(
        _ aliases: [AliasRecord], of record: ValueRecord, askedFor alias: String? = nil
    ) throws(VaultError) -> [Alias] {
        try naming(alias) { () throws(VaultError) in
            for alias in aliases { try sealer.check(alias, of: record.id, record.binding, by: keyring.integrity) }
            return aliases.map(\.alias)
        }
    }

    /// Runs a step on what the store has under `alias`: damage that it finds is counted, and named after the alias.
    func naming<Result>(
        _ alias: String?, _ step: () throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        do { return try step() } catch .damaged(let known) {
            counters.foundDamage()
            throw .damaged(alias: known ?? alias)
        }
    }

    /// Seals a record again under the active keys, for all that it says now; its fingerprint follows. If another value was stored
    /// under that fingerprint meanwhile, this one is not found by it any more.
    func reseal(
        _ record: inout ValueRecord, _ text: SensitiveText, under active: Keyring.Active,
        in transaction: any AliasTransaction
    ) throws(VaultError) {
        if let old = record.fingerprint {
            let new = try sealer.fingerprint(text, by: active.fingerprint)
            if new != old { record.fingerprint = try transaction.value(fingerprint: new) == nil ? new : nil }
        }
        try sealer.seal(text, into: &record, under: active.data)
    }

    /// The value with this fingerprint, or with that of another key. Throws `damaged` if it is not the value that was asked for.
    func record(
        of text: SensitiveText, _ fingerprint: Fingerprint, in reading: any AliasReading
    ) throws(VaultError) -> ValueRecord? {
        if let record = try reading.value(fingerprint: fingerprint) {
            return try checked(record, fingerprint, text, reading)
        }
        for key in keyring.otherFingerprints {
            let other = try sealer.fingerprint(text, by: key)
            if other != fingerprint, let record = try reading.value(fingerprint: other) {
                return try checked(record, other, text, reading)
            }
        }
        return nil
    }

    private func checked(
        _ record: ValueRecord, _ fingerprint: Fingerprint, _ text: SensitiveText, _ reading: any AliasReading
    ) throws(VaultError) -> ValueRecord {
        try learnKeys([record.keyID], reading)
        try check(record, isOf: text, fingerprint)
        return record
    }

    /// Throws `damaged` unless this is the record of this value, which was looked for by this fingerprint.
    func check(_ record: ValueRecord, isOf text: SensitiveText, _ fingerprint: Fingerprint) throws(VaultError) {
        try naming(nil) { () throws(VaultError) in
            let stored = try sealer.open(record, with: keyring.key(record.keyID))
            guard record.fingerprint == fingerprint, stored.hasSameBytes(as: text) else { throw .damaged(alias: nil) }
        }
    }
}

extension SensitiveText {
    fileprivate func hasSameBytes(as other: SensitiveText) -> Bool { exposed.hasSameBytes(as: other.exposed) }
}

extension String {
    /// Byte for byte; an eighth of the instructions of `elementsEqual`.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        let (bytes, others) = (utf8Span.span, other.utf8Span.span)
        guard bytes.count == others.count else { return false }
        for index in bytes.indices where bytes[index] != others[index] { return false }
        return true
    }
}
