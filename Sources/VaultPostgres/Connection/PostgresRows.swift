import CPostgres

/// What a statement answered, in binary. Rows and columns count from 0; what is not there reads as nothing.
///
/// Not `Sendable`: it stays on the thread of its connection.
final class PostgresRows {
    /// Nil for what is foreseen.
    private let result: OpaquePointer?
    let count: Int

    /// Takes the result over.
    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(cloakroom_pq_row_count(result))
    }

    /// What a statement most probably answers: no row, and one that was changed. See `PostgresDraft`.
    init(foreseen: Void) {
        result = nil
        count = 0
    }

    deinit {
        if let result { cloakroom_pq_clear(result) }
    }

    /// Rows that the statement has changed.
    var changes: Int { result.map { Int(String(cString: cloakroom_pq_changes($0))) ?? 0 } ?? 1 }

    /// What was done, in the server's words.
    var command: String { result.map { String(cString: cloakroom_pq_command($0)) } ?? "" }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        guard let result else { return true }
        return cloakroom_pq_is_null(result, Int32(clamping: row), Int32(clamping: column)) != 0
    }

    func bytes(_ row: Int, _ column: Int) -> [UInt8] {
        let (row, column) = (Int32(clamping: row), Int32(clamping: column))
        guard let result, let bytes = cloakroom_pq_value(result, row, column) else { return [] }
        // libpq's memory, which lives as long as the result; copied here.
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(cloakroom_pq_length(result, row, column))))
    }

    /// A BIGINT; 0 for anything of another width.
    func integer(_ row: Int, _ column: Int) -> Int64 {
        let (row, column) = (Int32(clamping: row), Int32(clamping: column))
        guard let result, cloakroom_pq_length(result, row, column) == 8,
            let bytes = cloakroom_pq_value(result, row, column)
        else { return 0 }
        // Eight bytes, as was just asked.
        return Int64(bigEndian: UnsafeRawPointer(bytes).loadUnaligned(as: Int64.self))
    }

    func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }
}
