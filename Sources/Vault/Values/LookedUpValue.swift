public import Sensitive

/// The value behind an alias, with what a caller needs to know before it uses it (``Vault/lookUp(_:mayBeNumbers:)``).
public struct LookedUpValue: Sendable {
    /// The value in the clear.
    public let value: SensitiveText
    /// Its labels, in the order in which they were first given.
    public let classifiers: [String]
    /// Whether it is unknown some day, without being deleted.
    public let isTemporary: Bool
    /// Whether the alias may be written to a log.
    public let isRecordable: Bool

    /// A value of the store: nothing keeps its aliases from logs.
    init(_ opened: Vault.Opened) {
        value = opened.text
        classifiers = opened.record.classifiers
        isTemporary = opened.record.expiresAt != nil
        isRecordable = true
    }

    /// A value that is in memory alone, by one of its aliases.
    init(volatile value: SensitiveText, classifiers: [String], aliases: [Alias], askedFor alias: String) {
        self.value = value
        self.classifiers = classifiers
        isTemporary = true
        isRecordable = aliases.isRecordable(alias, of: .volatile)
    }
}
