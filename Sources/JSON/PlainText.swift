extension Span where Element == UInt8 {
    /// Where the run of bytes that stand for themselves in a string ends: before a quote, a backslash or a control
    /// character (RFC 8259 section 7), or at the end. Also whether all of the run is ASCII.
    @inline(__always)
    func plainText(from start: Int) -> (end: Int, isASCII: Bool) {
        var position = start
        var seen: UInt64 = 0
        // Eight bytes at a time. Sound although the load is named unsafe: any eight bytes are a `UInt64`, and they lie within.
        while position + 8 <= count {
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            if word.holdsSpecialByte { break }
            seen |= word
            position += 8
        }
        while position < count {
            let byte = self[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            seen |= UInt64(byte)
            position += 1
        }
        return (position, seen & UInt64(everyByte: 0x80) == 0)
    }
}

extension UInt64 {
    @inline(__always)
    fileprivate init(everyByte byte: UInt8) { self = UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// Whether a byte is a quote, a backslash or below 0x20, by arithmetic on all of them at once. What borrows across bytes
    /// can only follow a byte that is found rightly.
    @inline(__always)
    fileprivate var holdsSpecialByte: Bool {
        let tops = UInt64(everyByte: 0x80)
        let controls = (self &- UInt64(everyByte: 0x20)) & ~self
        let quotes = self ^ UInt64(everyByte: UInt8(ascii: "\""))
        let slashes = self ^ UInt64(everyByte: UInt8(ascii: "\\"))
        let ones = UInt64(everyByte: 1)
        return (controls | (quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes) & tops != 0
    }
}
