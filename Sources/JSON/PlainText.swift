extension Span where Element == UInt8 {
    /// Where the run of bytes that stand for themselves in a string ends: before a quote, a backslash or a control
    /// character (RFC 8259 section 7), or at the end. Also whether all of the run is ASCII.
    @inline(__always)
    func plainText(from start: Int) -> (end: Int, isASCII: Bool) {
        var position = start
        var seen: UInt64 = 0
        while position + 8 <= count {
            let word = word(at: position)
            let special = word.specialBytes
            if special != 0 {
                let length = special.trailingZeroBitCount / 8
                seen |= word & ~(UInt64.max << UInt64(8 * length))
                return (position + length, !seen.holdsOtherThanASCII)
            }
            seen |= word
            position += 8
        }
        if position < count, count >= 8 {
            // The last eight bytes of all; those before `position` are shifted out and spaces shifted in.
            let rest = UInt64(8 * (count - position))
            let word = word(at: count - 8) >> (64 - rest) | UInt64(everyByte: 0x20) << rest
            let length = min(word.specialBytes.trailingZeroBitCount / 8, count - position)
            seen |= word & ~(UInt64.max << UInt64(8 * length))
            return (position + length, !seen.holdsOtherThanASCII)
        }
        while position < count {
            let byte = self[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            seen |= UInt64(byte)
            position += 1
        }
        return (position, !seen.holdsOtherThanASCII)
    }

    /// Eight bytes, the first of them the lowest. Sound although the load is named unsafe: any eight bytes are a `UInt64`, and the
    /// callers check that they lie within.
    @inline(__always)
    private func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension UInt64 {
    @inline(__always)
    fileprivate init(everyByte byte: UInt8) { self = UInt64(byte) &* 0x0101_0101_0101_0101 }

    @inline(__always)
    fileprivate var holdsOtherThanASCII: Bool { self & UInt64(everyByte: 0x80) != 0 }

    /// The top bit of bytes that are a quote, a backslash or below 0x20, by arithmetic on all of them at once. The lowest one is
    /// right; what borrows across bytes can only follow it.
    @inline(__always)
    fileprivate var specialBytes: UInt64 {
        let tops = UInt64(everyByte: 0x80)
        let controls = (self &- UInt64(everyByte: 0x20)) & ~self
        let quotes = self ^ UInt64(everyByte: UInt8(ascii: "\""))
        let slashes = self ^ UInt64(everyByte: UInt8(ascii: "\\"))
        let ones = UInt64(everyByte: 1)
        return (controls | (quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes) & tops
    }
}
