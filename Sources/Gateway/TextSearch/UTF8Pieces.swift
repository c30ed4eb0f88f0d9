/// Whether bytes that come in pieces are UTF-8 (RFC 3629). In text that is not, letters beyond ASCII are written in a way that is not
/// known, so that values that have some can't be found.
struct UTF8Pieces {
    /// The beginning of a character that is still to come, three bytes at most.
    private var unfinished: [UInt8] = []

    /// - Parameter isLast: whether the text ends with this piece.
    mutating func areValid(with piece: [UInt8], isLast: Bool) -> Bool {
        let bytes = unfinished.isEmpty ? piece : unfinished + piece
        do {
            _ = try UTF8Span(validating: bytes.span)
            unfinished = []
        } catch {
            let range = error.byteOffsets
            guard !isLast, error.kind == .truncatedScalar, range.upperBound == bytes.count else { return false }
            unfinished = Array(bytes[range])
        }
        return true
    }
}
