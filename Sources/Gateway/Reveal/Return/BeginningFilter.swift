/// Rules out the places of a text at which no value can begin, by two or three bytes at each. Nearly all places are ruled out, sixteen
/// at a time, so that a text without values costs little more than reading it.
///
/// A place that it lets through may still be none: ``ValueFinder`` decides. A class, because its table is too large to be copied.
final class BeginningFilter: Sendable {
    private let entries: [UInt64]
    /// The first two bytes of all beginnings.
    private let pairs: [(first: SIMD16<UInt8>, second: SIMD16<UInt8>)]
    /// Whether they are few enough to be compared sixteen places at a time, and all that a text can begin with.
    private let comparesPairs: Bool

    init(_ table: BeginningTable) {
        entries = table.entries
        comparesPairs = table.arePairsEnough && table.pairs.count <= BeginningTable.comparedPairs
        pairs = comparesPairs ? table.pairs.map { (SIMD16(repeating: $0.0), SIMD16(repeating: $0.1)) } : []
    }

    /// The first place from `start` on at which a value or a number may begin, or a byte stands that no text holds; the end if there is
    /// none. The last two places are let through if their first byte fits: what follows may still come.
    func next(_ text: Span<UInt8>, from start: Int) -> Int {
        let table = self.entries
        let entries = table.span
        var position = start
        if comparesPairs {
            while position + 17 <= text.count {
                var places = mayBegin(text, at: position)
                while places != 0 {
                    let place = position + places.trailingZeroBitCount / 8
                    if text.mayBegin(at: place, entries) { return place }
                    places &= places &- 1
                }
                position += 16
            }
        }
        while position < text.count, !text.mayBegin(at: position, entries) { position += 1 }
        return position
    }

    /// The lowest bit in the byte of each of sixteen places at which a beginning may be.
    @inline(__always)
    private func mayBegin(_ text: Span<UInt8>, at position: Int) -> UInt128 {
        // Sound although the loads are named unsafe: any bytes are a vector of them, and the caller has looked that they lie within.
        let first = text.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self)
        let second = text.bytes.unsafeLoadUnaligned(fromByteOffset: position + 1, as: SIMD16<UInt8>.self)
        // Blanks, signs, points, escapes and bytes beyond ASCII.
        let isOther =
            (second &- .all(0x30)).isAtLeast(.all(0x50)) | second.isEqual(.all(UInt8(ascii: "\\")))
            | (second | .all(0x20)).isEqual(.all(UInt8(ascii: "e")))
        var hits = first.isEqual(.all(UInt8(ascii: "\\"))) | (first & .all(0xFC)).isEqual(.all(0x24))
        hits = hits | first.isBelow(.all(0x09)) | (first &- .all(0x0E)).isBelow(.all(0x12))
        for pair in pairs { hits = hits | first.isEqual(pair.first) & (second.isEqual(pair.second) | isOther) }
        return unsafeBitCast(hits, to: UInt128.self) & 0x0101_0101_0101_0101_0101_0101_0101_0101
    }
}
