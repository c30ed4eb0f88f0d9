/// Events in the form in which lines hold them, one behind the other: the loops hand the log's thread one piece of memory,
/// instead of many that one thread allocates and another frees.
struct AuditBatch: Sendable {
    /// The members of each event's line.
    private(set) var text: [UInt8] = []
    /// Where those of each event end.
    private(set) var ends: [Int] = []

    init() {}

    /// `event`, and `others` behind it.
    init(_ event: AuditEvent, before others: AuditBatch) {
        append(event)
        append(others)
    }

    var count: Int { ends.count }
    var isEmpty: Bool { ends.isEmpty }

    mutating func append(_ event: AuditEvent) { append(members: event.members) }

    mutating func append(members: some Collection<UInt8>) {
        text.append(contentsOf: members)
        ends.append(text.count)
    }

    /// Makes room for as much as another batch had.
    mutating func reserve(like other: AuditBatch) {
        text.reserveCapacity(min(other.text.count, 1 << 20))
        ends.reserveCapacity(min(other.count, 4_096))
    }

    mutating func append(_ other: AuditBatch) {
        let start = text.count
        text += other.text
        for end in other.ends { ends.append(start + end) }
    }

    /// The members of the event at `index`.
    func members(at index: Int) -> ArraySlice<UInt8> { text[(index > 0 ? ends[index - 1] : 0)..<ends[index]] }
}
