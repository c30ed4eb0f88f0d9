import Synchronization

/// Answers that are kept for requests that are repeated. They are sealed like values: aliases stand in them, and what an
/// upstream said. While they fill the room that is configured, no more is kept of further ones than that they were given;
/// beyond the configured number the oldest go.
extension Vault {
    /// How many rows one transaction drops at most.
    private static let dropped = 64

    /// How many answers are kept at once.
    public var answerCapacity: Int { configuration.answerCapacity }

    /// Keeps `answer` under `name` (32 bytes) for so many seconds, in place of what was kept there; only `trace`, if there is no
    /// room for it. When it returns, it is durable.
    public func keep(
        _ answer: [UInt8], orAtLeast trace: [UInt8], under name: [UInt8], for seconds: Int64
    ) async throws(VaultError) {
        let now = configuration.clock.unixSeconds()
        try await setSealsAside(1, now: now)
        let key = keyring.active
        let totals = try await answerTotals()
        let hasRoom = totals.bytes + answer.count <= configuration.answerBytes
        let sealed = try sealer.seal(answer: hasRoom ? answer : trace, name: name, key: key)
        let record = AnswerRecord(name: name, keyID: key.id, sealed: sealed, expiresAt: now + seconds)
        let isOver = totals.count >= configuration.answerCapacity
        let removed = try await store.write { (transaction) throws(VaultError) in
            var removed = isOver ? try transaction.deleteAnswers(expiringBy: .max, limit: Self.dropped) : AnswerTotals()
            if let old = try transaction.answer(name) { removed += AnswerTotals(count: 1, bytes: old.sealed.count) }
            try transaction.replace(record)
            return removed
        }
        answers.withLock { known in
            known?.totals += AnswerTotals(count: 1, bytes: sealed.count)
            known?.totals -= removed
        }
    }

    /// What is kept under `name`, unless its time has passed.
    public func answer(under name: [UInt8]) async throws(VaultError) -> [UInt8]? {
        let record = try await store.read { [self] (reading) throws(VaultError) in
            let record = try reading.answer(name)
            try learnKeys(record.map { [$0.keyID] } ?? [], reading)
            return record
        }
        guard let record, record.expiresAt > configuration.clock.unixSeconds() else { return nil }
        return try sealer.open(answer: record.sealed, name: name, key: keyring.key(record.keyID))
    }

    /// Drops answers whose time has passed. To be called now and then; until then they are only unknown.
    public func sweepAnswers() async throws(VaultError) {
        guard try await answerTotals().count > 0 else { return }
        let now = configuration.clock.unixSeconds()
        while true {
            let removed = try await store.write { (transaction) throws(VaultError) in
                try transaction.deleteAnswers(expiringBy: now, limit: Self.dropped)
            }
            answers.withLock { $0?.totals -= removed }
            guard removed.count == Self.dropped else { return }
        }
    }

    /// What is kept: counted once, and where others keep answers too, now and then.
    func answerTotals() async throws(VaultError) -> AnswerTotals {
        let now = configuration.clock.unixSeconds()
        let known = answers.withLock { known in
            if let counted = known, isShared, now - counted.at >= Self.countLasts { known = nil }
            return known?.totals
        }
        if let known { return known }
        let counted = try await store.read { (reading) throws(VaultError) in try reading.answerTotals() }
        answers.withLock { if $0 == nil { $0 = CountedAnswers(totals: counted, at: now) } }
        return counted
    }
}

/// What was counted, kept up to date by what this process does.
struct CountedAnswers: Sendable {
    var totals: AnswerTotals
    /// Unix seconds.
    let at: Int64
}
