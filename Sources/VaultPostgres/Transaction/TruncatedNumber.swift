/// What may be shown of a number that may be a card's (PCI SSC FAQ 1091).
struct TruncatedNumber: Hashable {
    /// What numbers have in common that are looked for among the same aliases.
    struct Beginning: Hashable {
        /// The first six digits, or eight of sixteen and more.
        let start: [UInt8]
        let length: Int64

        /// No text that begins with `start` comes behind this: none holds the last byte.
        var end: [UInt8] { start + [0xFF] }

        /// Whether it shows six digits alone: with these begin many more aliases.
        var isShort: Bool { start.count < 8 }
    }

    let beginning: Beginning
    /// Its last four digits.
    let tail: [UInt8]

    /// Nil for a shorter text, which would be shown whole and is no alias of this kind.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 12 else { return nil }
        beginning = Beginning(
            start: Array(bytes.prefix(bytes.count >= 16 ? 8 : 6)), length: Int64(bytes.count))
        tail = Array(bytes.suffix(4))
    }
}
