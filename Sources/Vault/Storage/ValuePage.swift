/// A part of a walk over values. Rows that hold what was never written do not end the walk: they are named, and passed over.
public struct ValuePage: Sendable {
    /// The values that can be read, in the order of the walk.
    public private(set) var records: [ValueRecord] = []
    /// Ids of rows that hold what was never written.
    public private(set) var malformed: [Int64] = []
    /// The place of the last row, whether it can be read or not; nil if there is none.
    public private(set) var last: ExpiryCursor?

    package init() {}

    /// Takes a row.
    ///
    /// - Parameters:
    ///   - expiresAt: as the row says; nil for none.
    ///   - record: nil if the row holds what was never written.
    package mutating func add(_ id: Int64, expiresAt: Int64?, _ record: ValueRecord?) {
        if let record { records.append(record) } else { malformed.append(id) }
        last = ExpiryCursor(expiresAt: expiresAt ?? .max, id: id)
    }

    /// Rows, read or not.
    public var count: Int { records.count + malformed.count }
    /// Whether there is none.
    public var isEmpty: Bool { count == 0 }
}
