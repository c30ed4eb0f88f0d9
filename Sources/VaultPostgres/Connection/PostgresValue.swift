/// A parameter of a statement, as it travels: in binary.
enum PostgresValue: Hashable {
    /// BIGINT.
    case integer(Int64)
    /// BYTEA.
    case bytes([UInt8])
    case null

    static func bytes(optional bytes: [UInt8]?) -> PostgresValue { bytes.map { .bytes($0) } ?? .null }

    static func integer(optional number: Int64?) -> PostgresValue { number.map { .integer($0) } ?? .null }

    /// Aliases are kept as bytes: two texts are the same if their bytes are, whatever the database's collation says, and NUL is
    /// a byte as any other.
    static func text(_ text: String) -> PostgresValue { .bytes(Array(text.utf8)) }
}

/// A statement with its parameters.
struct PostgresCommand: Hashable {
    let statement: PostgresStatement
    var values: [PostgresValue] = []
}
