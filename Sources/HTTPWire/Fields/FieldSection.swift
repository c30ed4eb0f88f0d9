/// The header lines of one head while they arrive.
struct FieldSection: Sendable {
    private var fields: [Field] = []

    /// Reads `line` and keeps its place.
    mutating func append(
        _ bytes: Span<UInt8>, line: Range<Int>, atMost maximum: Int
    ) throws(WireError) -> Field {
        guard fields.count < maximum else { throw .tooManyHeaders }
        // Most heads have fewer lines than this, so that one allocation is enough.
        if fields.isEmpty { fields.reserveCapacity(16) }
        let field = try Field(bytes, line: line)
        fields.append(field)
        return field
    }

    /// Hands the lines over, with a copy of the head they stand in, and starts afresh.
    mutating func take(_ head: Span<UInt8>) -> Headers {
        var taken: [Field] = []
        swap(&taken, &fields)
        return Headers(bytes: head.copied(), fields: taken)
    }
}
