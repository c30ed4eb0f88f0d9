import Vault

/// The steps of reading and writing on one connection. Belongs to the thread of that connection.
final class SQLiteTransaction {
    let connection: SQLiteConnection
    /// Whether the request being carried out has written, and so opened a savepoint.
    private var hasSavepoint = false
    private var lastValueID: Int64
    let statements: SQLiteStatements
    /// The last failure of a step since the transaction began.
    private(set) var lastFailure: SQLiteFailure?
    private var hasWritten = false
    /// Whether the transaction has written rows that need room of their own.
    var hasInserted = false

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        statements = try SQLiteStatements(connection)
        lastValueID = try connection.number("SELECT max(id) FROM value")
    }

    // MARK: The bounds of transactions and requests

    /// Begins a transaction for a batch of requests.
    func begin(writing: Bool) throws(SQLiteFailure) {
        hasSavepoint = false
        hasWritten = false
        hasInserted = false
        lastFailure = nil
        try (writing ? statements.beginImmediate : statements.begin).run()
    }

    /// Why SQLite gave the transaction up on its own, if it has.
    var failureThatEndedTransaction: SQLiteFailure? {
        connection.isInTransaction ? nil : lastFailure ?? SQLiteFailure(code: SQLiteFailure.aborted)
    }

    /// Makes everything durable, `synchronous` being `FULL`.
    func commit() throws(SQLiteFailure) {
        try statements.commit.run()
        guard hasWritten else { return }
        try connection.demandFilesInPlace()
        connection.moveLogOnClose()
    }

    /// Gives everything up. Many failures have already done so.
    func rollback() {
        if connection.isInTransaction { try? statements.rollback.run() }
    }

    /// Ends one request of the batch, keeping what it wrote or taking it back.
    func endRequest(keeping: Bool) throws(SQLiteFailure) {
        guard hasSavepoint else { return }
        hasSavepoint = false
        if !keeping { try statements.rollbackToSavepoint.run() }
        try statements.release.run()
    }

    /// A request that only reads, or is refused before it has written, needs no savepoint: most do not.
    private func willWrite() throws(SQLiteFailure) {
        guard !hasSavepoint else { return }
        try statements.savepoint.run()
        hasSavepoint = true
        hasWritten = true
    }

    func reading<Result>(_ step: () throws(SQLiteFailure) -> Result) throws(VaultError) -> Result {
        do {
            return try step()
        } catch {
            lastFailure = error
            throw error.vaultError
        }
    }

    func writing<Result>(_ step: () throws(SQLiteFailure) -> Result) throws(VaultError) -> Result {
        do {
            try willWrite()
            return try step()
        } catch {
            lastFailure = error
            throw error.vaultError
        }
    }
}

extension SQLiteTransaction: AliasReading {
    func vaultID() throws(VaultError) -> [UInt8]? {
        try reading { () throws(SQLiteFailure) in
            defer { statements.selectVault.reset() }
            return try statements.selectVault.step() ? statements.selectVault.bytes(0) : nil
        }
    }

    func keys() throws(VaultError) -> [WrappedKey] {
        let select = statements.selectKeys
        let rows = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            var rows: [WrappedKey?] = []
            while try select.step() { rows.append(RowReading.key(select)) }
            return rows
        }
        let keys = rows.compactMap { $0 }
        guard keys.count == rows.count else { throw .corrupt("a key of unknown purpose") }
        return keys
    }

    func value(alias: String) throws(VaultError) -> ValueRecord? {
        statements.selectByAlias.bind(alias, at: 1)
        return try record(statements.selectByAlias)
    }

    func value(fingerprint: Fingerprint) throws(VaultError) -> ValueRecord? {
        statements.selectByFingerprint.bind(fingerprint.bytes, at: 1)
        return try record(statements.selectByFingerprint)
    }

    func aliases(of value: Int64) throws(VaultError) -> [Alias] {
        let select = statements.selectAliases
        let rows = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(value, at: 1)
            var rows: [Alias?] = []
            while try select.step() { rows.append(RowReading.alias(select)) }
            return rows
        }
        let aliases = rows.compactMap { $0 }
        guard aliases.count == rows.count else { throw .corrupt("an alias of unknown format") }
        return aliases
    }

    func holds(alias: String) throws(VaultError) -> Bool {
        try reading { () throws(SQLiteFailure) in
            defer { statements.selectHeld.reset() }
            statements.selectHeld.bind(alias, at: 1)
            return try statements.selectHeld.step()
        }
    }

    func visitAliases(prefix: String, _ visit: (String) -> Void) throws(VaultError) {
        let select = statements.selectRange
        try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(prefix, at: 1)
            // No text that begins with the prefix sorts after the prefix and the last character of Unicode.
            select.bind(prefix + "\u{10FFFF}", at: 2)
            while try select.step() { visit(select.text(0)) }
        }
    }

    func values(after id: Int64, notSealedBy key: Int64, limit: Int) throws(VaultError) -> [ValueRecord] {
        let select = statements.selectStale
        let rows = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(id, at: 1)
            select.bind(key, at: 2)
            select.bind(Int64(limit), at: 3)
            var rows: [ValueRecord?] = []
            while try select.step() { rows.append(RowReading.value(select)) }
            return rows
        }
        let records = rows.compactMap { $0 }
        guard records.count == rows.count else { throw .corrupt("a value's row cannot be read") }
        return records
    }

    func hasValues(sealedBy key: Int64) throws(VaultError) -> Bool {
        try reading { () throws(SQLiteFailure) in
            defer { statements.selectSealedBy.reset() }
            statements.selectSealedBy.bind(key, at: 1)
            return try statements.selectSealedBy.step()
        }
    }

    private func record(_ select: SQLiteStatement) throws(VaultError) -> ValueRecord? {
        let row = try reading { () throws(SQLiteFailure) -> ValueRecord?? in
            defer { select.reset() }
            return try select.step() ? .some(RowReading.value(select)) : nil
        }
        guard let row else { return nil }
        guard let record = row else { throw .corrupt("a value's row cannot be read") }
        return record
    }
}

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

    /// Ids count up within a run; a number that is free again after the last value was deleted may be used again.
    func nextValueID() throws(VaultError) -> Int64 {
        guard lastValueID < .max else { throw .unavailable("there are no value ids left") }
        lastValueID += 1
        return lastValueID
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
