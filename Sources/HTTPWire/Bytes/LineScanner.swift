/// Finds the lines of a message head in a growing buffer, looking at every byte once, however it arrives.
///
/// Lines end in CRLF and nothing else (RFC 9112 §2.2 lets a recipient take a bare LF; where two parties read the end of
/// a line differently they disagree about where a message ends, so it is refused). Control characters other than HTAB
/// are refused on the way (RFC 9110 §5.5).
struct LineScanner: Sendable {
    /// Where the line being looked for starts.
    private(set) var start = 0
    /// Up to here the line is known to be without an end.
    private var scanned = 0

    /// Whether nothing of the line being looked for has been seen.
    var isAtLineStart: Bool { scanned == start }

    /// The next line without its CRLF, or `nil` if its end has not arrived. The CRLF must end at `limit` at the latest.
    mutating func next(
        in buffer: Span<UInt8>, before limit: Int, orThrow tooLong: WireError
    ) throws(WireError) -> Range<Int>? {
        let end = min(buffer.count, limit)
        let index = buffer.endOfFieldText(scanned..<max(end, scanned))
        scanned = index
        guard index < end else {
            if index >= limit { throw tooLong }
            return nil
        }
        return try finish(in: buffer, at: index, before: limit, orThrow: tooLong)
    }

    /// Judges the byte at `index`, which is no text.
    private mutating func finish(
        in buffer: Span<UInt8>, at index: Int, before limit: Int, orThrow tooLong: WireError
    ) throws(WireError) -> Range<Int>? {
        guard buffer[index] == .carriageReturn else {
            throw buffer[index] == .lineFeed ? .bareLineFeed : .controlCharacter
        }
        guard index + 1 < limit else { throw tooLong }
        guard index + 1 < buffer.count else { return nil }
        guard buffer[index + 1] == .lineFeed else { throw .bareCarriageReturn }
        let line = start..<index
        start = index + 2
        scanned = start
        return line
    }
}
