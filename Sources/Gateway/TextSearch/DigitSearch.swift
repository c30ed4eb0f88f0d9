import JSON

extension Span where Element == UInt8 {
    /// The place of the first ASCII digit from `start` on, eight bytes at a time; the end if there is none.
    @inline(__always)
    func nextDigit(from start: Int) -> Int {
        var position = start
        while position + 8 <= count {
            // Sound although the load is named unsafe: any eight bytes are a `UInt64`, and they lie within.
            let word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            let marks = word.digitMarks
            if marks != 0 { return position + marks.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < count, !self[position].isDigit { position += 1 }
        return position
    }
}

extension UInt64 {
    /// The top bit of each byte that is an ASCII digit. No sum leaves its byte, since the top bits are taken off before.
    @inline(__always)
    fileprivate var digitMarks: UInt64 {
        let low = self & 0x7F7F_7F7F_7F7F_7F7F
        let fromZero = low &+ 0x5050_5050_5050_5050
        let beyondNine = low &+ 0x4646_4646_4646_4646
        return fromZero & ~beyondNine & ~self & 0x8080_8080_8080_8080
    }
}
