extension DocumentReader {
    /// As many classifiers a value may have, as in the vault.
    public static var maximumClassifiers: Int { 100 }
    /// So many bytes one may have, as in the vault.
    public static var maximumClassifierBytes: Int { 1_024 }

    /// Whether a text may be a classifier, as in the vault: wherever the configuration names one.
    public static func isClassifier(_ text: String) -> Bool { 1...maximumClassifierBytes ~= text.utf8.count }

    /// The rule, as a mistake tells it.
    public static var classifierRule: String { "a classifier must have 1 to \(maximumClassifierBytes) bytes" }

    /// A list of classifiers that one value may have.
    public func classifiers() -> [String] {
        guard let readers = list() else { return [] }
        if readers.count > Self.maximumClassifiers {
            mistake("a value may have at most \(Self.maximumClassifiers) classifiers")
        }
        return readers.compactMap { reader in
            guard let text = reader.text() else { return nil }
            if Self.isClassifier(text) { return text }
            reader.mistake(Self.classifierRule)
            return nil
        }
    }
}
