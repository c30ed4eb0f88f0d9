extension String {
    /// Whether every character is one ASCII byte. A carriage return may join a line feed in one grapheme cluster, so text
    /// with one is left to the general path.
    var isPlainASCII: Bool {
        let bytes = utf8Span.span
        var seen: UInt8 = 0
        var hasReturn = false
        for index in bytes.indices {
            let byte = bytes[index]
            seen |= byte
            hasReturn = hasReturn || byte == 0x0D
        }
        return seen < 0x80 && !hasReturn
    }

    /// Number of characters (grapheme clusters).
    var characterCount: Int { isPlainASCII ? utf8.count : count }

    /// Number of letters and digits.
    var alphanumericCount: Int {
        isPlainASCII
            ? utf8.reduce(0) { $0 + ($1.isAlphanumeric ? 1 : 0) }
            : reduce(0) { $0 + (($1 as Character).isAlphanumeric ? 1 : 0) }
    }

    /// The first `count` characters of text that is all ASCII; all if there are fewer.
    func asciiPrefix(_ count: Int) -> String { asciiText(0..<min(count, utf8.count)) }

    /// The last `count` characters of text that is all ASCII; all if there are fewer.
    func asciiSuffix(_ count: Int) -> String { asciiText(max(0, utf8.count - count)..<utf8.count) }

    /// The bytes of `range`, which must be whole characters. Short text is made without memory of its own.
    func asciiText(_ range: Range<Int>) -> String {
        // The pointer does not leave the closure, and the string copies what it reads.
        utf8Span.span.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// The values of the ASCII digits, in order. A digit is a whole character: one that carries a mark is none.
    var asciiDigits: [UInt8] {
        var digits: [UInt8] = []
        guard isPlainASCII else {
            for character in self where character.isDigit {
                if let byte = character.asciiValue { digits.append(byte &- 0x30) }
            }
            return digits
        }
        let bytes = utf8Span.span
        digits.reserveCapacity(bytes.count)
        for index in bytes.indices where bytes[index].isDigit { digits.append(bytes[index] &- 0x30) }
        return digits
    }

    /// Number of ASCII digits, each a whole character.
    var digitCount: Int {
        guard isPlainASCII else { return count { $0.isDigit } }
        var count = 0
        let bytes = utf8Span.span
        for index in bytes.indices where bytes[index].isDigit { count += 1 }
        return count
    }

    /// Whether there is nothing but ASCII digits; true for no text at all.
    var isAllDigits: Bool {
        let bytes = utf8Span.span
        for index in bytes.indices where !bytes[index].isDigit { return false }
        return true
    }
}
