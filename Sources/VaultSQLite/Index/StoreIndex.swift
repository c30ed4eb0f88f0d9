/// The indexes of a vault.
enum StoreIndex: Int, CaseIterable {
    /// From an alias to the row that has it.
    case alias
    /// From a fingerprint to the value's row.
    case fingerprint
    /// From the name of a stored response to its row.
    case response

    /// The table of the merged part.
    var table: String {
        switch self {
        case .alias: "alias_leaf"
        case .fingerprint: "fingerprint_leaf"
        case .response: "response_leaf"
        }
    }
}
