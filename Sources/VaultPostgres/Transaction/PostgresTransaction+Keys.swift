import Vault

/// The vault's id and its keys.
extension PostgresTransaction {
    func vaultID() throws(VaultError) -> [UInt8]? {
        let rows = try run(.selectVault)
        return rows.count > 0 ? rows.bytes(0, 0) : nil
    }

    /// A transaction that is about to change keys has them to itself. It locks the vault's one row first: what it would see while it
    /// waits for the keys' own locks is the state before, without keys that are being made.
    func keys() throws(VaultError) -> [KeyRecord] {
        if isWriting { try run(.lockVault) }
        return try run(isWriting ? .lockKeys : .selectKeys).records { (rows, row) throws(VaultError) in
            try rows.key(row)
        }
    }

    func insert(vaultID: [UInt8]) throws(VaultError) {
        // Another process has named the vault since it was found to have no name.
        guard try run(.updateVault, [.bytes(vaultID)]).changes == 1 else { throw note(.overtaken) }
    }

    func insert(_ key: KeyRecord) throws(VaultError) {
        try run(
            .insertKey,
            [
                .integer(key.id), .integer(Int64(key.purpose.rawValue)), .bytes(key.wrapped),
                .bytes(optional: key.pendingWrapped), .integer(key.createdAt), .integer(key.allottedUses),
                .bytes(key.tag.bytes),
            ])
    }

    func update(_ key: KeyRecord) throws(VaultError) {
        try run(
            .updateKey,
            [
                .integer(key.id), .bytes(key.wrapped), .bytes(optional: key.pendingWrapped), .integer(key.allottedUses),
                .bytes(key.tag.bytes),
            ])
    }

    func delete(key id: Int64) throws(VaultError) { try run(.deleteKey, [.integer(id)]) }
}
