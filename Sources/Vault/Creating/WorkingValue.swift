import Sensitive

/// A value while a create request works on it. Items of one request that mean the same value share it.
struct WorkingValue {
    let text: SensitiveText
    let storage: Storage
    let id: Int64
    let fingerprint: Fingerprint?
    let createdAt: Int64
    var classifiers: [String]
    var aliases: [Alias]
    /// What the store has; `nil` for a new value and for a volatile one.
    let record: ValueRecord?
    let isNew: Bool

    /// Adds the classifiers that it does not have.
    mutating func add(_ classifiers: [String]) {
        guard !classifiers.isEmpty else { return }
        self.classifiers = (self.classifiers + classifiers).distinctByBytes
    }

    /// As it is answered.
    func answer(aliases: [Alias]) -> StoredValue {
        StoredValue(value: text, classifiers: classifiers, aliases: aliases, createdAt: createdAt, storage: storage)
    }
}
