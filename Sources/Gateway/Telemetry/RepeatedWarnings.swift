/// Which warnings that come again and again are logged: one line a minute for each text, so that a caller who is refused a thousand times a
/// second does not fill the disk. A value without a clock.
struct RepeatedWarnings {
    private static let period: Int64 = 60_000_000

    /// For each text when it was last logged, and how often it was left out since. The texts are those of the program and
    /// OpenSSL's reasons for a failed handshake, which quote nothing of the client: some hundred.
    private var lines: [String: (at: Int64, left: Int)] = [:]

    /// Counts a warning. Returns `nil` if it is not to be logged, otherwise how many were left out before it.
    ///
    /// - Parameter now: monotonic microseconds.
    mutating func count(_ text: String, at now: Int64) -> Int? {
        if let line = lines[text], now - line.at < Self.period {
            lines[text] = (line.at, line.left + 1)
            return nil
        }
        return lines.updateValue((now, 0), forKey: text)?.left ?? 0
    }
}
