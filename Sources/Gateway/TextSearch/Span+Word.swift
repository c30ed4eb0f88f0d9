extension Span where Element == UInt8 {
    /// Whether a byte is part of a word: a letter, a digit or an underscore.
    static func isWord(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") }

    /// Whether a letter, a digit or an underscore stands in front of `position`, as itself or written as an escape.
    func followsWord(_ position: Int) -> Bool {
        position > 0 && Self.isWord(self[position - 1]) && !endsWithEscapeOfOther(position)
    }

    /// Bytes of an escape that is looked for behind a place: `%2525253D`, and JSON in a URL.
    private static var longestEscape: Int { 16 }

    /// Whether the letter or digit in front of `end` ends an escape of something else: `\n`, `%20`, `\u0020`, `%5Cn`, `%5Cu0020`.
    func endsWithEscapeOfOther(_ end: Int) -> Bool {
        for length in 2...Self.longestEscape where length <= end {
            let first = end - length
            guard self[first] == UInt8(ascii: "\\") || self[first] == UInt8(ascii: "%") else { continue }
            let readings = Readings(self, at: first, isWhole: true)
            for index in 1..<readings.count where readings.characters[index].end == end {
                if !(readings.characters[index].ascii.map(Self.isWord) ?? false) { return true }
            }
        }
        return false
    }
}
