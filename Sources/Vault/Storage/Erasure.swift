/// The erasure of all values that carry a classifier, as far as it has got.
public struct Erasure: Sendable, Equatable {
    /// Names it to the caller.
    public let id: String
    /// Values with this classifier are erased.
    public let classifier: String
    /// The request that asked for it.
    public let requestID: String
    /// Who asked for it.
    public let credential: String
    /// Unix seconds.
    public let createdAt: Int64
    /// Values that carry the classifier, as far as they were counted when it was asked for, or those that were erased since, if that is
    /// more. Exact once it is done.
    public internal(set) var count: Int
    /// Values that were erased.
    public internal(set) var values: Int
    /// Their aliases.
    public internal(set) var aliases: Int
    /// Values that are damaged: those whose rows name the classifier are erased; whether others carried it is not known, and they stay.
    public internal(set) var damaged = 0
    /// Unix seconds; nil while it is under way.
    public internal(set) var finishedAt: Int64?
    /// The last value that was looked at; ``beforeVolatiles`` until volatile ones are erased, which comes first.
    var cursor: Int64 = 0
    /// Values from this id on were stored later and stay; 0 if it erases only volatile ones.
    let end: Int64

    static let beforeVolatiles: Int64 = -1

    /// Whether volatile values may have the classifier still.
    var hasVolatilesLeft: Bool { cursor < 0 }
    /// Whether it erases values of the store, too.
    var hasStored: Bool { end > 0 }
}

/// The volatile values that an erasure by classifier has removed.
struct ErasedVolatiles: Sendable {
    var values = 0
    /// Their aliases.
    var aliases = 0
    /// Values that are damaged, and stay.
    var damaged = 0
}

extension Erasure {
    /// Its fields as bytes.
    var bytes: [UInt8] {
        let numbers = [
            createdAt, Int64(count), Int64(values), Int64(aliases), Int64(damaged), finishedAt ?? -1, cursor, end,
        ]
        return ClassifierCoding.encode([id, classifier, requestID, credential] + numbers.map(String.init))
    }

    /// Nil if the bytes are not what ``bytes`` makes.
    init?(_ bytes: [UInt8]) {
        guard let fields = ClassifierCoding.decode(bytes), fields.count == 12 else { return nil }
        let numbers = fields.dropFirst(4).compactMap { Int64($0) }
        guard numbers.count == 8 else { return nil }
        self.init(
            id: fields[0], classifier: fields[1], requestID: fields[2], credential: fields[3], createdAt: numbers[0],
            count: Int(numbers[1]), values: Int(numbers[2]), aliases: Int(numbers[3]), damaged: Int(numbers[4]),
            finishedAt: numbers[5] < 0 ? nil : numbers[5], cursor: numbers[6], end: numbers[7])
    }
}
