import Vault

/// The conversion of tables that hold rows of format 2 into format 3, a batch a transaction. Several processes may do it at once:
/// each row is locked while it is converted. Processes of a version that knows format 2 alone must have been stopped.
struct PostgresUpgrade {
    private static let batch = 256

    let store: PostgresAliasStore

    /// Does nothing where there are no keys of format 2.
    func run(
        _ make: @escaping @Sendable (FormatUpgrade.Source) throws(VaultError) -> FormatUpgrade
    ) async throws(VaultError) {
        guard let upgrade = try await begin(make) else { return }
        var cursor: Int64? = 0
        while let position = cursor {
            cursor = try await store.write(steps: { (transaction) throws(VaultError) in
                try transaction.convertValues(after: position, limit: Self.batch, upgrade)
            })
        }
        while try await store.write(steps: { (transaction) throws(VaultError) in
            try transaction.convertResponses(limit: Self.batch, upgrade)
        }) {}
        try await store.write(steps: { (transaction) throws(VaultError) in
            _ = try transaction.keys()
            try transaction.run(.deleteOldKeys)
        })
    }

    /// Makes the keys of format 3 durable, or uses those that are there. Nil if there are none of format 2.
    private func begin(
        _ make: @escaping @Sendable (FormatUpgrade.Source) throws(VaultError) -> FormatUpgrade
    ) async throws(VaultError) -> FormatUpgrade? {
        let isNeeded = try await store.read(steps: { (transaction) throws(VaultError) in
            try !transaction.oldKeys().isEmpty
        })
        guard isNeeded else { return nil }
        return try await store.write(steps: { (transaction) throws(VaultError) in
            let keys = try transaction.keys()
            let old = try transaction.oldKeys()
            guard !old.isEmpty, let id = try transaction.vaultID() else { return nil }
            // No value is under another key: the tables refer to them.
            let upgrade = try make(FormatUpgrade.Source(vaultID: id, oldKeys: old, keys: keys, keysInUse: []))
            if keys.isEmpty { for key in upgrade.keys { try transaction.insert(key) } }
            try transaction.run(.raiseVersion)
            return upgrade
        })
    }
}

extension PostgresTransaction {
    fileprivate func oldKeys() throws(VaultError) -> [FormatUpgrade.OldKey] {
        try run(.selectOldKeys).records { (rows, row) throws(VaultError) in
            FormatUpgrade.OldKey(
                id: rows.integer(row, 0), purpose: rows.integer(row, 1), wrapped: rows.bytes(row, 2))
        }
    }

    /// Where to go on; nil if no value is left.
    fileprivate func convertValues(
        after id: Int64, limit: Int, _ upgrade: FormatUpgrade
    ) throws(VaultError) -> Int64? {
        let old = try run(.lockOldValues, [.integer(id), .integer(Int64(limit))])
            .records { (rows, row) throws(VaultError) in
                FormatUpgrade.OldValue(
                    id: rows.integer(row, 0), hasFingerprint: !rows.isNull(row, 1), keyID: rows.integer(row, 2),
                    sealed: rows.bytes(row, 3), classifiers: rows.optionalBytes(row, 4), createdAt: rows.integer(row, 5)
                )
            }
        for value in old { try convert(value, upgrade) }
        return old.last?.id
    }

    private func convert(_ old: FormatUpgrade.OldValue, _ upgrade: FormatUpgrade) throws(VaultError) {
        let aliases = try run(.selectOldAliases, [.integer(old.id)]).records { (rows, row) throws(VaultError) in
            FormatUpgrade.OldAlias(alias: rows.text(row, 0), format: rows.integer(row, 1))
        }
        let (record, tagged) = try upgrade.convert(old, aliases: aliases) { (fingerprint) throws(VaultError) in
            try value(fingerprint: fingerprint) == nil
        }
        try run(
            .convertValue,
            [
                .integer(record.id), .bytes(record.binding.bytes), .bytes(optional: record.fingerprint?.bytes),
                .integer(record.keyID), .bytes(record.sealed),
            ])
        for alias in tagged { try run(.convertAlias, [.text(alias.alias.alias), .bytes(alias.tag.bytes)]) }
        // Without a tag they would make all aliases of the value damaged.
        for alias in aliases where !tagged.contains(where: { $0.alias.alias.utf8.elementsEqual(alias.alias.utf8) }) {
            try run(.deleteAlias, [.text(alias.alias)])
        }
    }

    /// Whether there may be more.
    fileprivate func convertResponses(limit: Int, _ upgrade: FormatUpgrade) throws(VaultError) -> Bool {
        let old = try run(.lockOldResponses, [.integer(Int64(limit))])
            .records { (rows, row) throws(VaultError) in rows.response(row) }
        for response in old {
            try replace(try upgrade.convert(response))
        }
        return !old.isEmpty
    }
}
