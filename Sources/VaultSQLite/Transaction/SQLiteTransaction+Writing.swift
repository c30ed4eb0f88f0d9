import Vault

extension SQLiteTransaction: AliasTransaction {
    // MARK: Vault and keys

    func insert(vaultID: [UInt8]) throws(VaultError) {
        try writing { (_) throws(SQLiteFailure) in
            statements.insertVault.bind(vaultID, at: 1)
            try statements.insertVault.run()
        }
    }

    func insert(_ key: WrappedKey) throws(VaultError) {
        try writing { (_) throws(SQLiteFailure) in
            let insert = statements.insertKey
            insert.bind(key.id, at: 1)
            insert.bind(Int64(key.purpose.rawValue), at: 2)
            insert.bind(key.wrapped, at: 3)
            insert.bind(key.createdAt, at: 4)
            insert.bind(key.reservedUses, at: 5)
            try insert.run()
        }
    }

    func update(_ key: WrappedKey) throws(VaultError) {
        try writing { (_) throws(SQLiteFailure) in
            statements.updateKey.bind(key.id, at: 1)
            statements.updateKey.bind(key.wrapped, at: 2)
            statements.updateKey.bind(key.reservedUses, at: 3)
            try statements.updateKey.run()
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
            guard let fingerprint = value.fingerprint else { return }
            try writer.add(.fingerprint, hash.indexHash(fingerprint.bytes), RowPlace(.value, value.id))
        }
    }

    func update(_ value: ValueRecord) throws(VaultError) {
        try writing { (_) throws(SQLiteFailure) in
            let update = statements.updateValue
            update.bind(value.id, at: 1)
            update.bind(value.keyID, at: 2)
            update.bind(value.sealed, at: 3)
            bind(value.classifiers, to: update, at: 4)
            try update.run()
            hasErased = true
        }
    }

    func delete(value id: Int64) throws(VaultError) {
        try writing { (writer) throws(SQLiteFailure) in
            let fingerprint = try withValue(id) { (row) throws(SQLiteFailure) in try record(row).fingerprint }
            statements.deleteValue.bind(id, at: 1)
            try statements.deleteValue.run()
            hasErased = true
            guard let fingerprint else { return }
            try writer.remove(.fingerprint, hash.indexHash(fingerprint.bytes), RowPlace(.value, id))
        }
    }

    // MARK: Aliases

    func insert(_ alias: Alias, value: Int64) throws(VaultError) -> Bool {
        try adding { (writer) throws(SQLiteFailure) in
            let hash = hash.indexHash(alias.alias)
            guard try !isTaken(alias.alias, hash) else { return false }
            if pending.holds(value: value) { try demandStored() }
            if value > lastStoredValue, !pending.hasAlias(value) {
                let row = RowPlace(.value, value)
                pending.add(alias, row, of: value)
                try writer.add(.alias, hash, row)
                return true
            }
            guard let id = writer.nextId(.alias) else { throw SQLiteFailure(code: SQLiteFailure.full) }
            let row = RowPlace(.alias, id)
            pending.add(alias, row, of: value)
            try writer.add(.alias, hash, row)
            if value <= lastStoredValue { try demandStored() }
            return true
        }
    }

    func delete(alias: String) throws(VaultError) {
        try writing { (writer) throws(SQLiteFailure) in
            let hash = hash.indexHash(alias)
            let found = try indexes.first(.alias, hash) { (place) throws(SQLiteFailure) -> (RowPlace, Int64)? in
                let row = RowPlace(place, in: .alias)
                return try owner(of: alias, in: row).map { (row, $0) }
            }
            guard let (row, value) = found else { return }
            if row.kind == .value {
                statements.removeFirstAlias.bind(row.id, at: 1)
                try statements.removeFirstAlias.run()
            } else {
                try unlink(row.id, of: value)
            }
            try writer.remove(.alias, hash, row)
            hasErased = true
        }
    }

    /// Removes a further alias: the row that named it names what it names, and its own goes.
    private func unlink(_ alias: Int64, of value: Int64) throws(SQLiteFailure) {
        let newest = try withValue(value) { $0.integer(RowReading.furtherColumn) }
        var (before, after): (Int64, Int64) = (0, 0)
        try visitFurther(newest ?? 0) { id, row in
            if id != alias {
                before = id
                return true
            }
            after = row.integer(3)
            return false
        }
        let update = before == 0 ? statements.updateFurther : statements.updateNext
        update.bind(before == 0 ? value : before, at: 1)
        update.bind(after, at: 2)
        try update.run()
        statements.deleteAlias.bind(alias, at: 1)
        try statements.deleteAlias.run()
    }

    // MARK: Added rows

    /// Writes what the request has added, but for aliases whose value is still to come.
    func writePending() throws(SQLiteFailure) {
        guard !pending.isEmpty else { return }
        let (aliases, values) = pending.take(storedUpTo: lastStoredValue)
        var firsts: [Int64: Alias] = [:]
        var newest: [Int64: Int64] = [:]
        for alias in aliases {
            if alias.row.kind == .value {
                firsts[alias.value] = alias.alias
            } else {
                var before = newest[alias.value]
                if before == nil { before = try further(of: alias.value) }
                try write(alias, after: before ?? 0)
                newest[alias.value] = alias.row.id
            }
        }
        for value in values {
            try write(value, firsts[value.id], newest.removeValue(forKey: value.id) ?? 0)
            lastStoredValue = max(lastStoredValue, value.id)
        }
        // Further aliases of values that were there before.
        for (value, alias) in newest {
            statements.updateFurther.bind(value, at: 1)
            statements.updateFurther.bind(alias, at: 2)
            try statements.updateFurther.run()
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

    private func write(_ pending: PendingRows.PendingAlias, after before: Int64) throws(SQLiteFailure) {
        let insert = statements.insertAlias
        insert.bind(pending.row.id, at: 1)
        insert.bind(pending.alias.alias, at: 2)
        insert.bind(Int64(pending.alias.format.code), at: 3)
        insert.bind(pending.value, at: 4)
        insert.bind(before, at: 5)
        try insert.run()
    }

    private func write(_ value: ValueRecord, _ alias: Alias?, _ further: Int64) throws(SQLiteFailure) {
        let insert = statements.insertValue
        insert.bind(value.id, at: 1)
        if let fingerprint = value.fingerprint { insert.bind(fingerprint.bytes, at: 2) } else { insert.bindNull(at: 2) }
        insert.bind(value.keyID, at: 3)
        insert.bind(value.sealed, at: 4)
        bind(value.classifiers, to: insert, at: 5)
        insert.bind(value.createdAt, at: 6)
        if let alias {
            insert.bind(alias.alias, at: 7)
            insert.bind(Int64(alias.format.code), at: 8)
        } else {
            insert.bindNull(at: 7)
            insert.bindNull(at: 8)
        }
        insert.bind(further, at: 9)
        try insert.run()
    }

    private func bind(_ classifiers: [String], to statement: SQLiteStatement, at index: Int32) {
        if classifiers.isEmpty {
            statement.bindNull(at: index)
        } else {
            statement.bind(ClassifierCoding.encode(classifiers), at: index)
        }
    }
}
