/// A parameter of a statement, as it travels: in binary.
enum PostgresValue {
    /// BIGINT.
    case integer(Int64)
    /// BYTEA.
    case bytes([UInt8])
    case null

    /// Aliases are kept as bytes: two texts are the same if their bytes are, whatever the database's collation says, and NUL is
    /// a byte as any other.
    static func text(_ text: String) -> PostgresValue { .bytes(Array(text.utf8)) }
}
