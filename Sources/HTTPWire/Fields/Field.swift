/// One header line, as positions in the bytes of its head.
struct Field: Sendable {
    private let nameExtent: Extent
    private let valueExtent: Extent
    let known: KnownField?

    var name: Range<Int> { nameExtent.range }
    var value: Range<Int> { valueExtent.range }

    /// Reads `name ":" OWS value OWS` (RFC 9112 §5). The text of `line` has been checked by the scanner.
    init(_ bytes: Span<UInt8>, line: Range<Int>) throws(WireError) {
        let token = ByteSet.token
        var colon = line.lowerBound
        while colon < line.upperBound, token.contains(bytes[colon]) { colon += 1 }
        guard colon < line.upperBound else { throw .malformedFieldLine }
        guard bytes[colon] == .colon, colon > line.lowerBound else {
            throw Field.refusal(of: bytes, line: line, at: colon)
        }
        nameExtent = Extent(line.lowerBound..<colon)
        valueExtent = Extent(bytes.trimmed(colon + 1..<line.upperBound))
        known = KnownField.recognise(bytes, line.lowerBound..<colon)
    }

    /// Why a line whose name ends at `index` without a colon is refused.
    private static func refusal(of bytes: Span<UInt8>, line: Range<Int>, at index: Int) -> WireError {
        if index == line.lowerBound {
            return bytes[index].isBlank ? .obsoleteFolding : .malformedFieldLine
        }
        return bytes[index].isBlank ? .spaceBeforeColon : .malformedFieldName
    }
}
