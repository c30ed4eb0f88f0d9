import Sensitive

/// An item of a create request after everything was checked that can be checked without the store.
enum PlannedItem: Sendable {
    /// Answered already: an empty value, or one whose alias is remembered.
    case settled(StoredValue)
    /// A value for the store.
    case persistent(SensitiveText, AliasFormat, [String], Fingerprint?)
    /// A value for memory.
    case volatile(SensitiveText, AliasFormat, [String])
    /// One more alias for an existing value.
    case reference(String, AliasFormat, Storage?)
}
