import Vault

extension SQLiteTransaction: AliasTransaction {
    func insert(vaultID: [UInt8]) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            statements.insertVault.bind(vaultID, at: 1)
            try statements.insertVault.run()
        }
    }

    func insert(_ key: KeyRecord) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            let insert = statements.insertKey
            insert.bind(key.id, at: 1)
            insert.bind(Int64(key.purpose.rawValue), at: 2)
            insert.bind(key.wrapped, at: 3)
            bind(key.pendingWrapped, to: insert, at: 4)
            insert.bind(key.createdAt, at: 5)
            insert.bind(key.allottedUses, at: 6)
            insert.bind(key.tag.bytes, at: 7)
            try insert.run()
        }
    }

    func update(_ key: KeyRecord) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            statements.updateKey.bind(key.id, at: 1)
            statements.updateKey.bind(key.wrapped, at: 2)
            bind(key.pendingWrapped, to: statements.updateKey, at: 3)
            statements.updateKey.bind(key.allottedUses, at: 4)
            statements.updateKey.bind(key.tag.bytes, at: 5)
            try statements.updateKey.run()
        }
    }

    func delete(key id: Int64) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            statements.deleteKey.bind(id, at: 1)
            try statements.deleteKey.run()
        }
    }

    func insert(_ value: ValueRecord) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            let insert = statements.insertValue
            insert.bind(value.id, at: 1)
            insert.bind(value.binding.bytes, at: 2)
            bind(value.fingerprint?.bytes, to: insert, at: 3)
            insert.bind(value.keyID, at: 4)
            insert.bind(value.sealed, at: 5)
            bind(value.classifierBytes, to: insert, at: 6)
            insert.bind(value.createdAt, at: 7)
            bind(value.expiresAt, to: insert, at: 8)
            try insert.run()
            hasInserted = true
        }
    }

    func insert(_ record: AliasRecord) throws(VaultError) -> Bool {
        try writing { () throws(SQLiteFailure) in
            let insert = statements.insertAlias
            insert.bind(record.alias.alias, at: 1)
            insert.bind(Int64(record.alias.format.code), at: 2)
            insert.bind(record.value, at: 3)
            insert.bind(record.tag.bytes, at: 4)
            try insert.run()
            return connection.changes == 1
        }
    }

    func update(_ value: ValueRecord) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            let update = statements.updateValue
            update.bind(value.id, at: 1)
            bind(value.fingerprint?.bytes, to: update, at: 2)
            update.bind(value.keyID, at: 3)
            update.bind(value.sealed, at: 4)
            bind(value.classifierBytes, to: update, at: 5)
            bind(value.expiresAt, to: update, at: 6)
            try update.run()
        }
    }

    func delete(alias: String) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            statements.deleteAlias.bind(alias, at: 1)
            try statements.deleteAlias.run()
        }
    }

    func delete(value id: Int64) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            statements.deleteValue.bind(id, at: 1)
            try statements.deleteValue.run()
        }
    }

    func replace(_ anchor: AuditAnchor) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            statements.replaceAnchor.bind(anchor.sequence, at: 1)
            statements.replaceAnchor.bind(anchor.code, at: 2)
            statements.replaceAnchor.bind(anchor.tag.bytes, at: 3)
            try statements.replaceAnchor.run()
        }
    }

    private func bind(_ bytes: [UInt8]?, to statement: SQLiteStatement, at index: Int32) {
        if let bytes { statement.bind(bytes, at: index) } else { statement.bindNull(at: index) }
    }

    private func bind(_ number: Int64?, to statement: SQLiteStatement, at index: Int32) {
        if let number { statement.bind(number, at: index) } else { statement.bindNull(at: index) }
    }
}
