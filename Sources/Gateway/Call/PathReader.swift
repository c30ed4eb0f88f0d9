import HTTPWire

/// Reads the path of a target byte by byte: every request is matched with it, and the only strings it makes are the names in
/// the path.
struct PathReader {
    private let path: String
    let count: Int

    init(_ path: String) {
        self.path = path
        count = path.utf8.count
    }

    /// The index behind `prefix`, which must be at `start` and be followed by a slash or the end; nil if it is not.
    func rest(after prefix: StaticString, at start: Int = 0) -> Int? {
        guard holds(prefix, at: start) else { return nil }
        let end = start + prefix.utf8CodeUnitCount
        return end == count || path.utf8Span.span[end] == UInt8(ascii: "/") ? end : nil
    }

    /// Whether `text` is at `start`, and the path ends behind it.
    func ends(with text: StaticString, at start: Int) -> Bool {
        start + text.utf8CodeUnitCount == count && holds(text, at: start)
    }

    private func holds(_ text: StaticString, at start: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard start + length <= count else { return false }
        let bytes = path.utf8Span.span
        // Sound: a static string's bytes live as long as the program, and `index` stays below their number.
        let wanted = text.utf8Start
        for index in 0..<length where bytes[start + index] != wanted[index] { return false }
        return true
    }

    /// The segment behind the slash at `start`, percent-decoded once (nil if its escapes are broken), and where it ends.
    func segment(at start: Int) -> (text: String?, end: Int) {
        let bytes = path.utf8Span.span
        var end = start + 1
        var isEncoded = false
        while end < count, bytes[end] != UInt8(ascii: "/") {
            if bytes[end] == UInt8(ascii: "%") { isEncoded = true }
            end += 1
        }
        let raw = text(start + 1, end)
        return (isEncoded ? try? PercentEncoding.decode(raw) : raw, end)
    }

    /// Everything from `start` on, still encoded.
    func text(from start: Int) -> String { text(start, count) }

    private func text(_ start: Int, _ end: Int) -> String {
        guard start < end else { return "" }
        return path.utf8Span.span.text(start..<end)
    }
}
