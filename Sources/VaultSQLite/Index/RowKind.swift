/// The tables whose rows are indexed.
enum RowKind: Int, CaseIterable {
    /// Values, each with its first alias.
    case value
    /// Further aliases.
    case alias
    /// Stored responses.
    case response

    /// The table.
    var table: String {
        switch self {
        case .value: "value"
        case .alias: "alias"
        case .response: "response"
        }
    }

    /// The indexes that a row of this kind may have an entry in, in the order in which `RecentRows` keeps the hashes.
    var indexes: [StoreIndex] {
        switch self {
        case .value: [.alias, .fingerprint]
        case .alias: [.alias]
        case .response: [.response]
        }
    }
}

/// A row that an index leads to. The index of aliases leads to two tables: there the lowest bit of a place says which.
struct RowPlace: Equatable {
    let kind: RowKind
    let id: Int64

    init(_ kind: RowKind, _ id: Int64) {
        self.kind = kind
        self.id = id
    }

    init(_ place: Int64, in index: StoreIndex) {
        switch index {
        case .alias: self.init(place & 1 == 0 ? .value : .alias, place >> 1)
        case .fingerprint: self.init(.value, place)
        case .response: self.init(.response, place)
        }
    }

    /// As an index stores it.
    func number(in index: StoreIndex) -> Int64 {
        index == .alias ? id << 1 | (kind == .alias ? 1 : 0) : id
    }
}
