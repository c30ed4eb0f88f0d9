import Crypto
import Vault

/// What tells whether requests would go well again.
extension PostgresTransaction {
    /// Rows that need a page more in each table and index, unless there is free room for requests too.
    private static let probes = 128

    /// Does what a batch of creates does, and remembers a caller: locks what is there, draws ids, and inserts rows of all the tables that these write. Its rows
    /// must be taken back.
    ///
    /// A statement that changes no row fails as these do where a right is missing; but not on a full disk, nor where a sequence is gone.
    func probeCreating() throws(VaultError) {
        // Of the lengths of real ones, and drawn, so that they go to all parts of an index and cannot be compressed.
        let digest = { PostgresValue.bytes(SystemRandomNumberGenerator.bytes(32)) }
        // The byte 0xFF is in no UTF-8 text: no such alias can exist.
        let alias = { PostgresValue.bytes([0xFF] + SystemRandomNumberGenerator.bytes(31)) }
        try run(.lockByFingerprint, [digest()])
        try run(.lockByAlias, [alias()])
        let keys = try run(.selectKeys)
        guard keys.count > 0 else { return }
        let key = PostgresValue.integer(keys.integer(keys.count - 1, 0))
        let drawn = try run(.nextIDs, [.integer(Int64(Self.probes))])
        let ids = (0..<drawn.count).map { PostgresValue.integer(drawn.integer($0, 0)) }
        func all(_ element: PostgresValue.Element, _ value: () -> PostgresValue) -> PostgresValue {
            .array(element, of: ids.map { _ in value() })
        }
        try run(
            .insertValues,
            [
                .array(.integer, of: ids), all(.bytes, digest), all(.bytes, digest), all(.integer) { key },
                all(.bytes, digest), all(.bytes) { .null }, all(.integer) { .integer(0) }, all(.integer) { .null },
            ])
        try run(
            .insertFreeAliases,
            [all(.bytes, alias), all(.integer) { .integer(0) }, .array(.integer, of: ids), all(.bytes, digest)])
        try run(.insertAccess, [.integer(0), digest(), digest(), .integer(0)])
    }
}
