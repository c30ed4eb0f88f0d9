/// Where strings are in JSON that comes piece by piece.
struct JSONStrings {
    /// Whether the place up to which bytes have been passed is within a string.
    var isInside = false
    /// The place of a byte behind a backslash.
    var escaped = -1

    /// Passes over the bytes between these places, sixteen at a time where no backslash is.
    @inline(__always)
    mutating func pass(_ text: Span<UInt8>, from start: Int, to end: Int) {
        var position = start
        while position < end {
            position = passPlain(text, from: position, to: end)
            let next = min(position + 16, end)
            while position < next {
                passByte(text[position], at: position)
                position += 1
            }
        }
    }

    /// Passes over sixteen bytes at a time as long as no backslash is among them, and returns where that ends.
    private mutating func passPlain(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int {
        guard escaped != start else { return start }
        var position = start
        var quotes = SIMD16<UInt8>.all(0)
        let quote = SIMD16<UInt8>.all(UInt8(ascii: "\""))
        let backslash = SIMD16<UInt8>.all(UInt8(ascii: "\\"))
        while position + 16 <= end {
            // Sound although the load is named unsafe: any bytes are a vector of them, and they lie within the text.
            let bytes = text.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self)
            if unsafeBitCast(bytes.isEqual(backslash), to: UInt128.self) != 0 { break }
            quotes = quotes ^ bytes.isEqual(quote)
            position += 16
        }
        // Each byte is 0 or 255, by the number of quotes at its place; so the number of bits is a multiple of eight.
        if unsafeBitCast(quotes, to: UInt128.self).nonzeroBitCount & 8 != 0 { isInside.toggle() }
        return position
    }

    private mutating func passByte(_ byte: UInt8, at position: Int) {
        if escaped == position { return }
        if byte == UInt8(ascii: "\"") {
            isInside.toggle()
        } else if byte == UInt8(ascii: "\\"), isInside {
            escaped = position + 1
        }
    }
}
