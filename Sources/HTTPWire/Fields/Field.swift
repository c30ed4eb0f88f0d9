/// One header line, as positions in the bytes of its head.
struct Field: Sendable {
    private let nameStart: UInt32
    private let nameEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32
    let known: KnownField?

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

    /// Reads `name ":" OWS value OWS` (RFC 9112 §5). The text of `line` has been checked by the scanner.
    init(_ bytes: Span<UInt8>, line: Range<Int>) throws(WireError) {
        let token = ByteSet.token
        var colon = line.lowerBound
        while colon < line.upperBound, token.contains(bytes[colon]) { colon += 1 }
        guard colon < line.upperBound else { throw .malformedFieldLine }
        guard bytes[colon] == .colon, colon > line.lowerBound else {
            throw Field.refusal(of: bytes, line: line, at: colon)
        }
        let value = bytes.trimmed(colon + 1..<line.upperBound)
        // The limits of a head keep every position far below 2³².
        nameStart = UInt32(truncatingIfNeeded: line.lowerBound)
        nameEnd = UInt32(truncatingIfNeeded: colon)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
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
