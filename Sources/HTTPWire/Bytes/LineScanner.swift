/// Finds the lines of a message head in a growing buffer. Scans every byte once, in whatever pieces it arrives.
///
/// Lines end in CRLF and nothing else (RFC 9112 section 2.2 allows a recipient to accept a bare LF; two parties that read the end
/// of a line differently disagree about where a message ends, so it is refused). Control characters other than HTAB are
/// refused as well (RFC 9110 section 5.5).
struct LineScanner: Sendable {
    /// Where the next line starts.
    private(set) var start = 0
    /// The end of the line is not before this position.
    private var scanned = 0

    /// Whether no byte of the next line has been scanned.
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

    /// Handles the byte at `index`, which is not field text.
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
