import Vault

extension PostgresTransaction: AliasTransaction {
    func insert(vaultID: [UInt8]) throws(VaultError) {
        // Another process has named the vault since it was found to have no name.
        guard try run(.updateVault, [.bytes(vaultID)]).changes == 1 else { throw note(.overtaken) }
    }

    func insert(_ key: WrappedKey) throws(VaultError) {
        try run(
            .insertKey,
            [
                .integer(key.id), .integer(Int64(key.purpose.rawValue)), .bytes(key.wrapped),
                .integer(key.createdAt), .integer(key.reservedUses),
            ])
    }

    func update(_ key: WrappedKey) throws(VaultError) {
        try run(.updateKey, [.integer(key.id), .bytes(key.wrapped), .integer(key.reservedUses)])
    }

    func delete(key id: Int64) throws(VaultError) { try run(.deleteKey, [.integer(id)]) }

    func insert(_ value: ValueRecord) throws(VaultError) {
        try run(
            .insertValue,
            [
                .integer(value.id), value.fingerprint.map { .bytes($0.bytes) } ?? .null, .integer(value.keyID),
                .bytes(value.sealed), Self.coded(value.classifiers), .integer(value.createdAt),
            ])
    }

    func insert(_ alias: Alias, value: Int64) throws(VaultError) -> Bool {
        try run(
            .insertAlias, [.text(alias.alias), .integer(Int64(alias.format.code)), .integer(value)]
        ).changes == 1
    }

    func update(_ value: ValueRecord) throws(VaultError) {
        try run(
            .updateValue,
            [.integer(value.id), .integer(value.keyID), .bytes(value.sealed), Self.coded(value.classifiers)])
    }

    func delete(alias: String) throws(VaultError) { try run(.deleteAlias, [.text(alias)]) }

    func delete(value id: Int64) throws(VaultError) { try run(.deleteValue, [.integer(id)]) }

    func replace(_ answer: AnswerRecord) throws(VaultError) { try run(.replaceAnswer, Self.row(answer)) }

    func insert(_ answer: AnswerRecord) throws(VaultError) -> Bool {
        try run(.insertAnswer, Self.row(answer)).changes == 1
    }

    func delete(answer name: [UInt8], sealed: [UInt8]) throws(VaultError) -> Bool {
        try run(.deleteThisAnswer, [.bytes(name), .bytes(sealed)]).changes == 1
    }

    private static func row(_ answer: AnswerRecord) -> [PostgresValue] {
        [.bytes(answer.name), .integer(answer.keyID), .bytes(answer.sealed), .integer(answer.expiresAt)]
    }

    func deleteAnswers(expiringBy time: Int64, limit: Int) throws(VaultError) -> AnswerTotals {
        let rows = try run(.deleteAnswers, [.integer(time), .integer(Int64(limit))])
        return AnswerTotals(count: rows.count, bytes: (0..<rows.count).reduce(0) { $0 + Int(rows.integer($1, 0)) })
    }

    private static func coded(_ classifiers: [String]) -> PostgresValue {
        classifiers.isEmpty ? .null : .bytes(ClassifierCoding.encode(classifiers))
    }
}
