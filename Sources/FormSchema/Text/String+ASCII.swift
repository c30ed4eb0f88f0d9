extension String {
    /// Whether every character is one ASCII byte. A carriage return may join a line feed in one grapheme cluster, so text
    /// with one is left to the general path.
    var isPlainASCII: Bool {
        let bytes = utf8Span.span
        var position = 0
        // Eight bytes at a time. Sound although the load is named unsafe: any eight bytes are a `UInt64`, and they lie within.
        while position + 8 <= bytes.count {
            let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            let returns = word ^ 0x0D0D_0D0D_0D0D_0D0D
            // The top bit of a byte is set where it is no ASCII, or is zero in `returns`; a borrow can only follow such a byte.
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

    /// The bytes of `range`, which must be whole characters. Short text is made without memory of its own.
    func asciiText(_ range: Range<Int>) -> String {
        // Sound: whole characters of a string are UTF-8.
        String(copying: UTF8Span(unchecked: utf8Span.span.extracting(range)))
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

    /// Whether there is nothing but ASCII digits; true for no text at all.
    var isAllDigits: Bool {
        let bytes = utf8Span.span
        for index in bytes.indices where !bytes[index].isDigit { return false }
        return true
    }
}
