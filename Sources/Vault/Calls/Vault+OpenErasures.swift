import Sensitive

extension Vault {
    /// The erasures that are under way now. One whose record is damaged can't go on and is left out.
    func openErasures(in reading: any AliasReading) throws(VaultError) -> OpenErasures {
        guard let list = try intactNote(erasureNotes.list, reading).flatMap(ClassifierCoding.decode) else {
            return .none
        }
        var scopes: [OpenErasures.Scope] = []
        for id in list {
            guard let erasure = try intactNote(erasureNotes.name(id), reading).flatMap(Erasure.init),
                erasure.finishedAt == nil
            else { continue }
            scopes.append(OpenErasures.Scope(classifier: erasure.classifier, end: erasure.end))
        }
        return OpenErasures(scopes: scopes)
    }

    /// What is stored under this name; nil if nothing is, or it is damaged.
    private func intactNote(_ name: [UInt8], _ reading: any AliasReading) throws(VaultError) -> [UInt8]? {
        guard let record = try reading.response(name) else { return nil }
        try learnKeys([record.keyID], reading)
        do { return try open(record, under: name) } catch .damaged { return nil }
    }

    /// More ids than a session of a shared store has drawn ahead.
    private static let passedOver = 1_024

    /// An id for a new value that no erasure which is under way will erase. The rest of a block that was drawn before it began is
    /// passed over.
    func newValueID(
        beside erasures: OpenErasures, in transaction: any AliasTransaction
    ) throws(VaultError) -> Int64 {
        let first = erasures.firstFreeID
        for _ in 0...Self.passedOver {
            let id = try transaction.nextValueID()
            if id >= first { return id }
        }
        throw .corrupt("the ids of new values lie below those of an erasure")
    }

    /// Stores a changed value: under its id, or under a new one if it carries the classifier of an erasure that would take it for one
    /// that was stored before. Its aliases stay the same.
    ///
    /// - Parameter aliases: all that it has, oldest first.
    func put(
        _ changed: ValueRecord, _ text: SensitiveText, aliases: () throws(VaultError) -> [Alias],
        under active: Keyring.Active, beside erasures: OpenErasures, in transaction: any AliasTransaction
    ) throws(VaultError) {
        var record = changed
        guard erasures.holds(changed) else {
            try reseal(&record, text, under: active, in: transaction)
            return try transaction.update(record)
        }
        let aliases = try aliases()
        try erase(changed, in: transaction)
        record = ValueRecord(
            id: try newValueID(beside: erasures, in: transaction), binding: try sealer.newBinding(),
            fingerprint: changed.fingerprint, keyID: active.data.id, sealed: [], classifiers: changed.classifiers,
            createdAt: changed.createdAt, expiresAt: changed.expiresAt)
        try reseal(&record, text, under: active, in: transaction)
        for alias in aliases {
            let moved = try sealer.record(alias, of: record.id, record.binding, by: keyring.integrity)
            guard try transaction.insert(moved) else { throw .unavailable("an alias was taken meanwhile") }
        }
        try transaction.insert(record)
    }
}
