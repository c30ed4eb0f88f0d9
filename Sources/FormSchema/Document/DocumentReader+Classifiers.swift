extension DocumentReader {
    /// As many classifiers a value may have, as in the vault.
    public static var maximumClassifiers: Int { 100 }
    /// So many bytes one may have, as in the vault.
    public static var maximumClassifierBytes: Int { 1_024 }

    /// A list of classifiers that one value may have.
    public func classifiers() -> [String] {
        guard let readers = list() else { return [] }
        if readers.count > Self.maximumClassifiers {
            mistake("a value may have at most \(Self.maximumClassifiers) classifiers")
        }
        return readers.compactMap { reader in
            guard let text = reader.text() else { return nil }
            if text.utf8.count <= Self.maximumClassifierBytes { return text }
            reader.mistake("a classifier may have at most \(Self.maximumClassifierBytes) bytes")
            return nil
        }
    }
}
