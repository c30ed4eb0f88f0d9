import Vault

extension PostgresTransaction: AliasReading {
    func vaultID() throws(VaultError) -> [UInt8]? {
        let rows = try run(.selectVault)
        return rows.count > 0 ? rows.bytes(0, 0) : nil
    }

    /// Whoever is about to change keys has them for himself. He waits for the vault's one row first: what he would see while he
    /// waits for the keys' own is what there was before, without those that are being made.
    func keys() throws(VaultError) -> [WrappedKey] {
        if isWriting { try run(.lockVault) }
        let rows = try run(isWriting ? .lockKeys : .selectKeys)
        var keys: [WrappedKey] = []
        for row in 0..<rows.count {
            guard let number = UInt8(exactly: rows.integer(row, 1)), let purpose = WrappedKey.Purpose(rawValue: number)
            else { throw .corrupt("a key of unknown purpose") }
            keys.append(
                WrappedKey(
                    id: rows.integer(row, 0), purpose: purpose, wrapped: rows.bytes(row, 2),
                    createdAt: rows.integer(row, 3), reservedUses: rows.integer(row, 4)))
        }
        return keys
    }

    func value(alias: String) throws(VaultError) -> ValueRecord? {
        try records(run(isWriting ? .lockByAlias : .selectByAlias, [.text(alias)])).first
    }

    func value(fingerprint: Fingerprint) throws(VaultError) -> ValueRecord? {
        let statement: PostgresStatement = isWriting ? .lockByFingerprint : .selectByFingerprint
        return try records(run(statement, [.bytes(fingerprint.bytes)])).first
    }

    func aliases(of value: Int64) throws(VaultError) -> [Alias] {
        let rows = try run(.selectAliases, [.integer(value)])
        var aliases: [Alias] = []
        for row in 0..<rows.count {
            guard let code = UInt8(exactly: rows.integer(row, 1)), let format = AliasFormat(code: code) else {
                throw .corrupt("an alias of unknown format")
            }
            aliases.append(Alias(alias: rows.text(row, 0), format: format))
        }
        return aliases
    }

    func holds(alias: String) throws(VaultError) -> Bool { try run(.selectHeld, [.text(alias)]).count > 0 }

    /// A part at a time: there may be millions.
    func visitAliases(prefix: String, _ visit: (String) -> Void) throws(VaultError) {
        // No text holds this byte, so that all that begin with the prefix come before it.
        let end = Array(prefix.utf8) + [0xFF]
        var last = Array(prefix.utf8)
        if try holds(alias: prefix) { visit(prefix) }
        while true {
            let rows = try run(.selectRange, [.bytes(last), .bytes(end)])
            guard rows.count > 0 else { return }
            for row in 0..<rows.count { visit(rows.text(row, 0)) }
            last = rows.bytes(rows.count - 1, 0)
        }
    }

    func values(after id: Int64, notSealedBy key: Int64, limit: Int) throws(VaultError) -> [ValueRecord] {
        try records(
            run(isWriting ? .lockStale : .selectStale, [.integer(id), .integer(key), .integer(Int64(limit))]))
    }

    func hasValues(sealedBy key: Int64) throws(VaultError) -> Bool {
        if try run(.selectValueSealedBy, [.integer(key)]).count > 0 { return true }
        return try run(.selectAnswerSealedBy, [.integer(key)]).count > 0
    }

    func answer(_ name: [UInt8]) throws(VaultError) -> AnswerRecord? {
        let rows = try run(.selectAnswer, [.bytes(name)])
        guard rows.count > 0 else { return nil }
        return AnswerRecord(
            name: rows.bytes(0, 0), keyID: rows.integer(0, 1), sealed: rows.bytes(0, 2),
            expiresAt: rows.integer(0, 3))
    }

    func answerTotals() throws(VaultError) -> AnswerTotals {
        let rows = try run(.selectAnswerTotals)
        return AnswerTotals(count: Int(rows.integer(0, 0)), bytes: Int(rows.integer(0, 1)))
    }

    private func records(_ rows: PostgresRows) throws(VaultError) -> [ValueRecord] {
        var records: [ValueRecord] = []
        for row in 0..<rows.count {
            let fingerprint = rows.isNull(row, 1) ? nil : Fingerprint(bytes: rows.bytes(row, 1))
            let classifiers = rows.isNull(row, 4) ? [] : ClassifierCoding.decode(rows.bytes(row, 4))
            guard let classifiers, fingerprint != nil || rows.isNull(row, 1) else {
                throw .corrupt("a value's row cannot be read")
            }
            records.append(
                ValueRecord(
                    id: rows.integer(row, 0), fingerprint: fingerprint, keyID: rows.integer(row, 2),
                    sealed: rows.bytes(row, 3), classifiers: classifiers, createdAt: rows.integer(row, 5)))
        }
        return records
    }
}
