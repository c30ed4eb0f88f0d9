import Vault

extension SQLiteTransaction: AliasTransaction {
    func insert(vaultID: [UInt8]) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            statements.insertVault.bind(vaultID, at: 1)
            try statements.insertVault.run()
        }
    }

    func insert(_ key: WrappedKey) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
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
        try writing { () throws(SQLiteFailure) in
            statements.updateKey.bind(key.id, at: 1)
            statements.updateKey.bind(key.wrapped, at: 2)
            statements.updateKey.bind(key.reservedUses, at: 3)
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
            if let fingerprint = value.fingerprint {
                insert.bind(fingerprint.bytes, at: 2)
            } else {
                insert.bindNull(at: 2)
            }
            insert.bind(value.keyID, at: 3)
            insert.bind(value.sealed, at: 4)
            bind(value.classifiers, to: insert, at: 5)
            insert.bind(value.createdAt, at: 6)
            try insert.run()
            hasInserted = true
        }
    }

    func insert(_ alias: Alias, value: Int64) throws(VaultError) -> Bool {
        try writing { () throws(SQLiteFailure) in
            let insert = statements.insertAlias
            insert.bind(alias.alias, at: 1)
            insert.bind(Int64(alias.format.code), at: 2)
            insert.bind(value, at: 3)
            try insert.run()
            return connection.changes == 1
        }
    }

    func update(_ value: ValueRecord) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            let update = statements.updateValue
            update.bind(value.id, at: 1)
            update.bind(value.keyID, at: 2)
            update.bind(value.sealed, at: 3)
            bind(value.classifiers, to: update, at: 4)
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

    private func bind(_ classifiers: [String], to statement: SQLiteStatement, at index: Int32) {
        if classifiers.isEmpty {
            statement.bindNull(at: index)
        } else {
            statement.bind(ClassifierCoding.encode(classifiers), at: index)
        }
    }
}
