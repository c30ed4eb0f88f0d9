import HTTPWire

/// Events in the words of the log, one behind the other: what all loops have to say is handed to the log's thread as one piece
/// of memory, instead of many that one thread makes and another frees.
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

    mutating func append(_ event: AuditEvent) { append(members: event.members.span) }

    mutating func append(members: Span<UInt8>) {
        members.append(to: &text)
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

    /// Where the members of the event at `index` stand in ``text``.
    func range(at index: Int) -> Range<Int> { (index > 0 ? ends[index - 1] : 0)..<ends[index] }
}
