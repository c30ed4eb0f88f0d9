import Crypto

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

extension PostgresValue {
    /// What the compiler would make hashes an array byte by byte; this hashes its bytes in one call.
    func hash(into hasher: inout Hasher) {
        switch self {
        case .integer(let number): hasher.combine(number)
        case .bytes(let bytes): bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .null: hasher.combine(false)
        }
    }
}

extension PostgresValue {
    /// Whether it comes before another one in an order that all processes have.
    func precedes(_ other: PostgresValue) -> Bool {
        switch (self, other) {
        case (.integer(let own), .integer(let other)): own < other
        case (.bytes(let own), .bytes(let other)): own.lexicographicallyPrecedes(other)
        case (.null, .null): false
        case (.null, _): true
        case (_, .null), (.bytes, .integer): false
        case (.integer, .bytes): true
        }
    }
}

extension PostgresValue {
    /// What arrays are of: the number of the type in the server's catalog (`pg_type.oid`), which is the same everywhere.
    enum Element: UInt32 {
        case bytes = 17
        case integer = 20
    }

    /// An array of one dimension as it travels: the number of dimensions, whether there are NULLs, the type, the length, the first index,
    /// and each element behind its length, -1 for NULL (`array_recv` in PostgreSQL's arrayfuncs.c).
    static func array(_ type: Element, of values: some Collection<PostgresValue>) -> PostgresValue {
        var bytes: [UInt8] = []
        for number in [1, values.contains(.null) ? 1 : 0, Int32(type.rawValue), Int32(clamping: values.count), 1] {
            bytes.append(bigEndian: number)
        }
        for value in values {
            switch value {
            case .integer(let number):
                bytes.append(bigEndian: Int32(8))
                bytes.append(bigEndian: number)
            case .bytes(let content):
                bytes.append(bigEndian: Int32(clamping: content.count))
                bytes.append(contentsOf: content)
            case .null: bytes.append(bigEndian: Int32(-1))
            }
        }
        return .bytes(bytes)
    }
}

/// A statement with its parameters.
struct PostgresCommand: Hashable {
    let statement: PostgresStatement
    var values: [PostgresValue] = []
}
