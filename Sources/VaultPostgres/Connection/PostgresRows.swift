import CPostgres

/// What a statement answered, in binary. Rows and columns count from 0; what is not there reads as nothing.
///
/// Not `Sendable`: it stays on the thread of its connection.
final class PostgresRows {
    /// Nil for what is foreseen.
    private let result: PostgresResult?
    /// Which rows of the result these are; nil for all of them.
    private let places: [Int]?
    let count: Int

    /// Takes the result over.
    init(_ result: OpaquePointer) {
        self.result = PostgresResult(result)
        places = nil
        count = Int(cloakroom_pq_row_count(result))
    }

    /// What a statement most probably answers: no row, and one that was changed. See `PostgresDraft`.
    init(foreseen: Void) {
        result = nil
        places = nil
        count = 0
    }

    private init(_ result: PostgresResult?, _ places: [Int]) {
        self.result = result
        self.places = places
        count = places.count
    }

    /// The rows by the number, from 1 to `parts`, in their last column. Throws if there is another.
    func parts(_ parts: Int) throws(PostgresFailure) -> [PostgresRows] {
        let last = result.map { Int(cloakroom_pq_column_count($0.pointer)) - 1 } ?? 0
        var places = [[Int]](repeating: [], count: parts)
        for row in 0..<count {
            let number = integer(row, last)
            guard number >= 1, number <= parts else { throw .lost }
            places[Int(number) - 1].append(row)
        }
        return places.map { PostgresRows(result, $0) }
    }

    /// Rows that the statement has changed.
    var changes: Int { result.map { Int(String(cString: cloakroom_pq_changes($0.pointer))) ?? 0 } ?? 1 }

    /// What was done, in the server's words.
    var command: String { result.map { String(cString: cloakroom_pq_command($0.pointer)) } ?? "" }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        guard let result else { return true }
        return cloakroom_pq_is_null(result.pointer, place(row), Int32(clamping: column)) != 0
    }

    func bytes(_ row: Int, _ column: Int) -> [UInt8] {
        let (row, column) = (place(row), Int32(clamping: column))
        guard let result, let bytes = cloakroom_pq_value(result.pointer, row, column) else { return [] }
        // libpq's memory, which lives as long as the result; copied here.
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(cloakroom_pq_length(result.pointer, row, column))))
    }

    /// A BIGINT; 0 for anything of another width.
    func integer(_ row: Int, _ column: Int) -> Int64 {
        let (row, column) = (place(row), Int32(clamping: column))
        guard let result, cloakroom_pq_length(result.pointer, row, column) == 8,
            let bytes = cloakroom_pq_value(result.pointer, row, column)
        else { return 0 }
        // Eight bytes, as was just asked.
        return Int64(bigEndian: UnsafeRawPointer(bytes).loadUnaligned(as: Int64.self))
    }

    func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

    /// Of a row in the result.
    private func place(_ row: Int) -> Int32 {
        guard let places else { return Int32(clamping: row) }
        return places.indices.contains(row) ? Int32(clamping: places[row]) : -1
    }
}

/// A result of libpq, freed when the last rows of it are.
private final class PostgresResult {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        cloakroom_pq_clear(pointer)
    }
}
