import Vault

/// The conversion of a vault of format 2 into format 3, at its first start.
///
/// The tables of format 3 are made beside the old ones in one transaction, together with the new keys. Then values are converted in the
/// order of their ids, a batch a transaction: the highest id in the new table says where to go on after a kill. At the end the old tables
/// go, and the file is written again, so that nothing of them stays in it.
struct StoreUpgrade: Sendable {
    typealias Making = @Sendable (FormatUpgrade.Source) throws(VaultError) -> FormatUpgrade

    private static let batch = 512

    let store: SQLiteAliasStore
    let configuration: SQLiteStoreConfiguration

    /// Makes the tables of format 3 in a vault of an older format, with the keys. Blocks. The vault must not be open.
    ///
    /// Nothing is written if the keys cannot be unwrapped.
    func begin(_ make: Making) throws(VaultError) {
        do {
            let connection = try SQLiteConnection(path: configuration.path)
            try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            let tables = OldTables(connection)
            let upgrade = try make(
                try tables.source(keyTable: "key", keys: [], keysInUse: try tables.keysInUse()))
            try connection.execute("BEGIN IMMEDIATE")
            try tables.putBeside()
            let transaction = try SQLiteTransaction(
                connection, SharedIndexes(hash: .ofIndexes(connection)), mergeRound: configuration.mergeRound)
            for key in upgrade.keys { try transaction.insert(key) }
            try transaction.endRequest(keeping: true)
            try connection.execute("COMMIT")
        } catch let failure as SQLiteFailure {
            throw failure.vaultError
        } catch let error as VaultError {
            throw error
        } catch {
            throw .unavailable("the vault cannot be upgraded")
        }
    }

    /// Converts what is left to be converted.
    func finish(_ make: @escaping Making) async throws(VaultError) {
        let upgrade = try await store.steps { (transaction) throws(VaultError) -> (FormatUpgrade, Int64)? in
            let tables = OldTables(transaction.connection)
            let keys = try transaction.keys()
            let found = try transaction.reading { () throws(SQLiteFailure) -> (FormatUpgrade.Source, Int64)? in
                guard try tables.areBeside() else { return nil }
                return (try tables.source(keyTable: "old_key", keys: keys), try tables.valueCount())
            }
            return try found.map { (source, count) throws(VaultError) in (try make(source), count) }
        }
        if let (upgrade, count) = upgrade {
            try await convertValues(upgrade, of: Int(count))
            try await convertResponses(upgrade)
            try await store.steps { (transaction) throws(VaultError) in
                try transaction.writing { (_) throws(SQLiteFailure) in try OldTables(transaction.connection).drop() }
            }
        }
        try await store.rewriteIfUpgraded()
    }

    private func convertValues(_ upgrade: FormatUpgrade, of count: Int) async throws(VaultError) {
        var converted = 0
        while true {
            let number = try await store.steps { (transaction) throws(VaultError) in
                let old = try transaction.reading { () throws(SQLiteFailure) in
                    let last = try transaction.connection.number("SELECT max(id) FROM value")
                    return try OldTables(transaction.connection).values(after: last, limit: Self.batch)
                }
                for (value, aliases) in old {
                    let (record, tagged) = try upgrade.convert(value, aliases: aliases) {
                        (fingerprint) throws(VaultError) in try transaction.value(fingerprint: fingerprint) == nil
                    }
                    for alias in tagged { _ = try transaction.insert(alias) }
                    try transaction.insert(record)
                }
                return old.count
            }
            if number == 0 { return }
            converted += number
            configuration.upgradeProgress?(converted, count)
        }
    }

    private func convertResponses(_ upgrade: FormatUpgrade) async throws(VaultError) {
        var cursor: Int64? = 0
        while let position = cursor {
            cursor = try await store.steps { (transaction) throws(VaultError) in
                let old = try transaction.reading { () throws(SQLiteFailure) in
                    try OldTables(transaction.connection).responses(after: position, limit: Self.batch)
                }
                // Begun again from the first one after a kill: those that are there already stay.
                for (_, response) in old { _ = try transaction.insert(try upgrade.convert(response)) }
                return old.last?.id
            }
        }
    }
}
