/// One header line, as positions in the bytes of its head.
struct Field: Sendable {
    private let nameExtent: Extent
    private let valueExtent: Extent
    let known: KnownField?

    var name: Range<Int> { nameExtent.range }
    var value: Range<Int> { valueExtent.range }

    /// Reads `name ":" OWS value OWS` (RFC 9112 section 5). The scanner has checked the text of `line`.
    init(_ bytes: Span<UInt8>, line: Range<Int>) throws(WireError) {
        let token = ByteSet.token
        var colon = line.lowerBound
        while colon < line.upperBound, token.contains(bytes[colon]) { colon += 1 }
        guard colon < line.upperBound else { throw .malformedFieldLine }
        guard bytes[colon] == .colon, colon > line.lowerBound else {
            throw Field.error(in: bytes, line: line, at: colon)
        }
        nameExtent = Extent(line.lowerBound..<colon)
        valueExtent = Extent(bytes.trimmed(colon + 1..<line.upperBound))
        known = KnownField.recognise(bytes, line.lowerBound..<colon)
    }

    /// The error for a line whose name ends at `index` without a colon.
    private static func error(in bytes: Span<UInt8>, line: Range<Int>, at index: Int) -> WireError {
        if index == line.lowerBound {
            return bytes[index].isBlank ? .obsoleteFolding : .malformedFieldLine
        }
        return bytes[index].isBlank ? .spaceBeforeColon : .malformedFieldName
    }
}

/// The header lines of one head while they arrive.
struct FieldSection: Sendable {
    private var fields: [Field] = []

    /// Parses `line` and stores its positions.
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

    /// Returns the lines with a copy of the head that contains them, and empties the section.
    mutating func take(_ head: Span<UInt8>) -> Headers {
        var taken: [Field] = []
        swap(&taken, &fields)
        return Headers(bytes: head.copied(), fields: taken)
    }
}
