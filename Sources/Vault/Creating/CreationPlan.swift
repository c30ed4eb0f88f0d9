import Sensitive

/// What a create request comes to before the store is asked to change.
enum CreationPlan: Sendable {
    /// All items are finished already: empty values, and values whose alias is known.
    case finished([StoredValue])
    /// Some are to be done.
    case toDo([PlannedItem])
}

/// An item of a create request after everything was checked that can be checked without the store.
enum PlannedItem: Sendable {
    /// Finished already: an empty value, or one whose alias is known.
    case finished(StoredValue)
    /// A value to be stored or found.
    case value(PlannedValue)
    /// One more alias for an existing value.
    case reference(String, AliasFormat, Storage?)
}

/// A value that is to get an alias.
struct PlannedValue: Sendable {
    let text: SensitiveText
    let format: AliasFormat
    let classifiers: [String]
    let storage: Storage
    /// Unix seconds; nil for no end, or, for a volatile value, for the vault's.
    let expiresAt: Int64?
    /// Whether an equal value that is stored already is used instead.
    let isReusable: Bool
}
