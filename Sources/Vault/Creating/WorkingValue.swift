import Sensitive

/// A value while a create request works on it. Items of one request that mean the same value share it.
struct WorkingValue {
    /// Where a value comes from.
    enum Origin {
        /// It is made by this request, for the store.
        case new(Binding)
        /// It is made by this request, and lives in memory: no binding ties it to its aliases.
        case newVolatile
        /// The store has it.
        case stored(ValueRecord)
        /// It is in memory.
        case volatile
    }

    let text: SensitiveText
    let storage: Storage
    let id: Int64
    /// Under the active key.
    let fingerprint: Fingerprint?
    let createdAt: Int64
    var expiresAt: Int64?
    var classifiers: [String]
    var aliases: [Alias]
    let origin: Origin

    /// Adds the classifiers that it does not have; false, and nothing added, if they would be too many.
    mutating func add(_ classifiers: [String], atMost most: Int) -> Bool {
        guard !classifiers.isEmpty else { return true }
        let all = (self.classifiers + classifiers).distinctByBytes
        guard all.count <= max(most, self.classifiers.count) else { return false }
        self.classifiers = all
        return true
    }

    /// Lets it live until the later of its end and this one; no end is the latest.
    mutating func extend(to end: Int64?) {
        guard let known = expiresAt else { return }
        expiresAt = end.map { max($0, known) }
    }

    /// Whether it is made by this request.
    var isNew: Bool {
        switch origin {
        case .new, .newVolatile: true
        case .stored, .volatile: false
        }
    }

    /// Ties a persistent value to its aliases.
    var binding: Binding? {
        switch origin {
        case .new(let binding): binding
        case .stored(let record): record.binding
        case .newVolatile, .volatile: nil
        }
    }

    /// As it is returned.
    ///
    /// - Parameter requested: the place among these of the alias that the item asked for.
    func stored(aliases: [Alias], requested: Int?) -> StoredValue {
        StoredValue(
            value: text, classifiers: classifiers, aliases: aliases, createdAt: createdAt, expiresAt: expiresAt,
            storage: storage, requestedPlace: requested)
    }
}
