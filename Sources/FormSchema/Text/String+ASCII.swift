internal import JSON

/// Text that is all ASCII is read as bytes, which is several times faster than by grapheme clusters.
extension String {
    /// Whether every character is one ASCII byte. False for text with a carriage return, which forms one grapheme cluster with a
    /// line feed after it.
    var isPlainASCII: Bool {
        let bytes = utf8Span.span
        var position = 0
        // Eight bytes at a time. Sound although the load is named unsafe: any eight bytes are a `UInt64`, and they lie within.
        while position + 8 <= bytes.count {
            let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            let returns = word ^ 0x0D0D_0D0D_0D0D_0D0D
            // The top bit of a byte is set where the byte is not ASCII, or is zero in `returns`. A borrow can set the bit of a
            // later byte by mistake, but only after a byte that is such a one.
            let found = word | ((returns &- 0x0101_0101_0101_0101) & ~returns)
            if found & 0x8080_8080_8080_8080 != 0 { return false }
            position += 8
        }
        while position < bytes.count {
            if bytes[position] >= 0x80 || bytes[position] == 0x0D { return false }
            position += 1
        }
        return true
    }

    /// The first `count` characters of text that is all ASCII; all if there are fewer.
    func asciiPrefix(_ count: Int) -> String { asciiText(0..<min(count, utf8.count)) }

    /// The last `count` characters of text that is all ASCII; all if there are fewer.
    func asciiSuffix(_ count: Int) -> String { asciiText(max(0, utf8.count - count)..<utf8.count) }

    /// The bytes of `range`, which must be whole characters. Text of up to 15 bytes needs no allocation.
    func asciiText(_ range: Range<Int>) -> String {
        // Sound: whole characters of a string are UTF-8.
        String(copying: UTF8Span(unchecked: utf8Span.span.extracting(range)))
    }

    /// The values of the ASCII digits, in order. A digit is a whole character: one with a combining mark does not count.
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

    /// Whether there is nothing but ASCII digits; true for empty text.
    var isAllDigits: Bool {
        let bytes = utf8Span.span
        for index in bytes.indices where !bytes[index].isDigit { return false }
        return true
    }
}

/// Lengths in characters (grapheme clusters).
extension String {
    /// Number of characters.
    var characterCount: Int { isPlainASCII ? utf8.count : count }

    /// Number of letters and digits.
    var alphanumericCount: Int {
        isPlainASCII
            ? utf8.reduce(0) { $0 + ($1.isAlphanumeric ? 1 : 0) }
            : reduce(0) { $0 + (($1 as Character).isAlphanumeric ? 1 : 0) }
    }

    /// Number of ASCII digits, each a whole character.
    var digitCount: Int {
        guard isPlainASCII else { return count { $0.isDigit } }
        var count = 0
        let bytes = utf8Span.span
        for index in bytes.indices where bytes[index].isDigit { count += 1 }
        return count
    }
}
