import Vault

extension SQLiteTransaction: AliasTransaction {
    // MARK: Vault and keys

    func insert(vaultID: [UInt8]) throws(VaultError) {
        try writing { (_) throws(SQLiteFailure) in
            statements.insertVault.bind(vaultID, at: 1)
            try statements.insertVault.run()
        }
    }

    func insert(_ key: KeyRecord) throws(VaultError) {
        try writing { (_) throws(SQLiteFailure) in
            let insert = statements.insertKey
            insert.bind(key.id, at: 1)
            insert.bind(Int64(key.purpose.rawValue), at: 2)
            insert.bind(key.wrapped, at: 3)
            insert.bind(optional: key.pendingWrapped, at: 4)
            insert.bind(key.createdAt, at: 5)
            insert.bind(key.allottedUses, at: 6)
            insert.bind(key.tag.bytes, at: 7)
            try insert.run()
        }
    }

    func update(_ key: KeyRecord) throws(VaultError) {
        try writing { (_) throws(SQLiteFailure) in
            let update = statements.updateKey
            update.bind(key.id, at: 1)
            update.bind(key.wrapped, at: 2)
            update.bind(optional: key.pendingWrapped, at: 3)
            update.bind(key.allottedUses, at: 4)
            update.bind(key.tag.bytes, at: 5)
            try update.run()
        }
    }

    func replace(_ anchor: AuditAnchor) throws(VaultError) {
        try writing { (_) throws(SQLiteFailure) in
            let replace = statements.replaceAnchor
            replace.bind(anchor.log, at: 1)
            replace.bind(anchor.sequence, at: 2)
            replace.bind(anchor.code, at: 3)
            replace.bind(anchor.tag.bytes, at: 4)
            try replace.run()
        }
    }

    func delete(key id: Int64) throws(VaultError) {
        try writing { (_) throws(SQLiteFailure) in
            statements.deleteKey.bind(id, at: 1)
            try statements.deleteKey.run()
            hasErased = true
        }
    }

    // MARK: Values

    func nextValueID() throws(VaultError) -> Int64 {
        let id = try adding { (writer) throws(SQLiteFailure) in writer.nextId(.value) }
        guard let id else { throw .unavailable("there are no value ids left") }
        return id
    }

    func insert(_ value: ValueRecord) throws(VaultError) {
        try adding { (writer) throws(SQLiteFailure) in
            pending.add(value)
            writer.note(value.id, .value)
            guard let fingerprint = value.fingerprint else { return }
            try writer.add(.fingerprint, hash.indexHash(fingerprint.bytes), RowPlace(.value, value.id))
        }
    }

    func update(_ value: ValueRecord) throws(VaultError) {
        try writing { (writer) throws(SQLiteFailure) in
            let old = try withValue(value.id) { $0.bytes(RowReading.fingerprintColumn) } ?? []
            let update = statements.updateValue
            update.bind(value.id, at: 1)
            update.bind(optional: value.fingerprint?.bytes, at: 2)
            update.bind(value.keyID, at: 3)
            update.bind(value.sealed, at: 4)
            update.bind(optional: value.classifierBytes, at: 5)
            update.bind(optional: value.expiresAt, at: 6)
            try update.run()
            hasErased = true
            let new = value.fingerprint?.bytes ?? []
            guard old != new else { return }
            let row = RowPlace(.value, value.id)
            if !old.isEmpty { try writer.remove(.fingerprint, hash.indexHash(old), row) }
            if !new.isEmpty { try writer.add(.fingerprint, hash.indexHash(new), row) }
        }
    }

    // MARK: Aliases

    func insert(_ alias: AliasRecord) throws(VaultError) -> Bool {
        try adding { (writer) throws(SQLiteFailure) in
            let (text, value) = (alias.alias.alias, alias.value)
            let hash = hash.indexHash(text)
            guard try !isTaken(text, hash) else { return false }
            if pending.holds(value: value) { try requireStored() }
            if value > lastStoredValue, !pending.hasAlias(value) {
                let row = RowPlace(.value, value)
                pending.add(alias, row)
                try writer.add(.alias, hash, row)
                return true
            }
            guard let id = writer.nextId(.alias) else { throw SQLiteFailure(code: SQLiteFailure.full) }
            let row = RowPlace(.alias, id)
            pending.add(alias, row)
            try writer.add(.alias, hash, row)
            if value <= lastStoredValue { try requireStored() }
            return true
        }
    }

    // MARK: Added rows

    /// Writes what the request has added, but for aliases whose value is still to come.
    func writePending() throws(SQLiteFailure) {
        guard !pending.isEmpty else { return }
        let (aliases, values) = pending.take(storedUpTo: lastStoredValue)
        var firsts: [Int64: AliasRecord] = [:]
        var newest: [Int64: Int64] = [:]
        for pending in aliases {
            let value = pending.alias.value
            if pending.row.kind == .value {
                firsts[value] = pending.alias
            } else {
                var before = newest[value]
                if before == nil { before = try further(of: value) }
                try write(pending.alias, pending.row.id, after: before ?? 0)
                newest[value] = pending.row.id
            }
        }
        for value in values {
            try write(value, firsts[value.id], newest.removeValue(forKey: value.id) ?? 0)
            lastStoredValue = max(lastStoredValue, value.id)
        }
        // Further aliases of values that were there before.
        for (value, alias) in newest {
            statements.updateValueFurther.bind(value, at: 1)
            statements.updateValueFurther.bind(alias, at: 2)
            try statements.updateValueFurther.run()
        }
        hasInserted = true
    }

    /// The newest further alias of a value that is written; 0 if it has none.
    private func further(of value: Int64) throws(SQLiteFailure) -> Int64 {
        guard value <= lastStoredValue else { return 0 }
        let select = statements.selectValue
        defer { select.reset() }
        select.bind(value, at: 1)
        return try select.step() ? select.integer(RowReading.furtherColumn) : 0
    }

    private func write(_ alias: AliasRecord, _ id: Int64, after before: Int64) throws(SQLiteFailure) {
        let insert = statements.insertAlias
        insert.bind(id, at: 1)
        insert.bind(alias.alias.alias, at: 2)
        insert.bind(Int64(alias.alias.format.code), at: 3)
        insert.bind(alias.tag.bytes, at: 4)
        insert.bind(alias.value, at: 5)
        insert.bind(before, at: 6)
        try insert.run()
    }

    private func write(_ value: ValueRecord, _ alias: AliasRecord?, _ further: Int64) throws(SQLiteFailure) {
        let insert = statements.insertValue
        insert.bind(value.id, at: 1)
        insert.bind(value.binding.bytes, at: 2)
        insert.bind(optional: value.fingerprint?.bytes, at: 3)
        insert.bind(value.keyID, at: 4)
        insert.bind(value.sealed, at: 5)
        insert.bind(optional: value.classifierBytes, at: 6)
        insert.bind(value.createdAt, at: 7)
        insert.bind(optional: value.expiresAt, at: 8)
        if let alias { insert.bind(alias.alias.alias, at: 9) } else { insert.bindNull(at: 9) }
        insert.bind(optional: alias.map { Int64($0.alias.format.code) }, at: 10)
        insert.bind(optional: alias?.tag.bytes, at: 11)
        insert.bind(further, at: 12)
        try insert.run()
    }
}
