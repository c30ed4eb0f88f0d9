/// The values, among those that a step of a walk looks at, that are sealed under one key.
public struct KeySpan: Sendable, Equatable {
    /// The number of the key.
    public let key: Int64
    /// The lowest id of these values.
    public let first: Int64
    /// The highest.
    public let last: Int64
    /// How many there are.
    public let count: Int

    /// What a store has read of its rows.
    public init(key: Int64, first: Int64, last: Int64, count: Int) {
        self.key = key
        self.first = first
        self.last = last
        self.count = count
    }
}
